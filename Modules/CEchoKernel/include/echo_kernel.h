#ifndef AIRLINK_ECHO_KERNEL_H
#define AIRLINK_ECHO_KERNEL_H

#include <stdint.h>

// The inner loops of the echo canceller. Each is compiled for several processors and chosen when
// the program starts.
//
// Spectra have real and imaginary parts apart; `count` is a multiple of 8.

// sum += x * w, bin by bin.
void airlink_echo_accumulate(
  float *sum_re, float *sum_im, const float *x_re, const float *x_im, const float *w_re,
  const float *w_im, int32_t count);

// sum += p * |x|^2, bin by bin.
void airlink_echo_predict(float *sum, const float *p, const float *x_power, int32_t count);

// One learning step of a partition: w += mu * conj(x) * e with mu = p / d, and p after it.
//
// `inverse_d` is 1 / d; `keep` is the square of the transition factor.
void airlink_echo_learn(
  float *w_re, float *w_im, float *p, const float *x_re, const float *x_im, const float *x_power,
  const float *e_re, const float *e_im, const float *inverse_d, float keep, int32_t count);

// Correlation: sum = forget * sum + (1 - forget) * conj(x) * d, bin by bin.
void airlink_echo_correlate(
  float *sum_re, float *sum_im, const float *x_re, const float *x_im, const float *d_re,
  const float *d_im, float forget, int32_t count);

// Transforms of sixteen real signals at once.
typedef struct airlink_echo_batch airlink_echo_batch;

enum { airlink_echo_batch_width = 16 };

// NULL where there is no memory or `length` has other prime factors than 2, 3 and 5.
airlink_echo_batch *airlink_echo_batch_create(int32_t length);
void airlink_echo_batch_free(airlink_echo_batch *batch);

// Takes sixteen spectra of length / 2 + 1 bins to time, keeps the first `taps[i]` samples of each,
// sets the others to zero, and takes them back.
void airlink_echo_batch_constrain(
  airlink_echo_batch *batch, float *const re[], float *const im[], const int32_t taps[]);

#endif
