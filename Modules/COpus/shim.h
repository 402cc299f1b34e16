#include <opus.h>

// Swift does not import functions of variable arguments, which is what Opus sets everything by.

/// Puts into each frame what repairs the one before, for this much loss, or nothing for none; the
/// first error, or OPUS_OK.
static inline int airlink_opus_expect_loss(OpusEncoder *encoder, int percent) {
  int error = opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(percent > 0));
  if (!error) error = opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
  return error;
}

/// Constant bit rate, no DTX, nothing lost; the first error, or OPUS_OK.
static inline int airlink_opus_set_up(OpusEncoder *encoder, opus_int32 bitrate) {
  int error = opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bitrate));
  if (!error) error = opus_encoder_ctl(encoder, OPUS_SET_VBR(0));
  if (!error) error = opus_encoder_ctl(encoder, OPUS_SET_DTX(0));
  if (!error) error = opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
  if (!error) error = airlink_opus_expect_loss(encoder, 0);
  return error;
}

/// Makes what comes out louder, in 256ths of a dB.
static inline int airlink_opus_set_gain(OpusDecoder *decoder, opus_int32 gain) {
  return opus_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

/// Samples by which what comes out is later than what goes in; 0 when it does not say.
static inline opus_int32 airlink_opus_lookahead(OpusEncoder *encoder) {
  opus_int32 samples = 0;
  return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&samples)) == OPUS_OK ? samples : 0;
}
