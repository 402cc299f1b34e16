#include "echo_kernel.h"

#include <math.h>
#include <stdlib.h>

// Same code for each, so results differ in the last bit at most where fused arithmetic is used.
#if defined(__x86_64__) && defined(__has_attribute)
// Under a sanitizer one form for all processors: which one to take is asked before the sanitizer has
// started, and it would watch the asking.
#if __has_attribute(target_clones) && !__has_feature(thread_sanitizer) \
    && !__has_feature(address_sanitizer)
#define FOR_PROCESSORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
#endif
#ifndef FOR_PROCESSORS
#define FOR_PROCESSORS
#endif
#define INLINE static inline __attribute__((always_inline))

FOR_PROCESSORS void airlink_echo_accumulate(
  float *restrict sum_re, float *restrict sum_im, const float *x_re, const float *x_im,
  const float *w_re, const float *w_im, int32_t count) {
#pragma clang fp contract(fast)
  for (int32_t k = 0; k < count; k++) {
    sum_re[k] += x_re[k] * w_re[k] - x_im[k] * w_im[k];
    sum_im[k] += x_re[k] * w_im[k] + x_im[k] * w_re[k];
  }
}

FOR_PROCESSORS void airlink_echo_predict(
  float *restrict sum, const float *p, const float *x_power, int32_t count) {
#pragma clang fp contract(fast)
  for (int32_t k = 0; k < count; k++) sum[k] += p[k] * x_power[k];
}

FOR_PROCESSORS void airlink_echo_learn(
  float *restrict w_re, float *restrict w_im, float *restrict p, const float *restrict x_re,
  const float *restrict x_im, const float *restrict x_power, const float *restrict e_re,
  const float *restrict e_im, const float *restrict inverse_d, float keep, int32_t count) {
#pragma clang fp contract(fast)
  for (int32_t k = 0; k < count; k++) {
    float mu = p[k] * inverse_d[k];
    float power = w_re[k] * w_re[k] + w_im[k] * w_im[k];
    w_re[k] += mu * (x_re[k] * e_re[k] + x_im[k] * e_im[k]);
    w_im[k] += mu * (x_re[k] * e_im[k] - x_im[k] * e_re[k]);
    float left = keep * (1 - 0.5f * mu * x_power[k]) * p[k];
    p[k] = (left > 0 ? left : 0) + (1 - keep) * power;
  }
}

FOR_PROCESSORS void airlink_echo_correlate(
  float *restrict sum_re, float *restrict sum_im, const float *restrict x_re,
  const float *restrict x_im, const float *restrict d_re, const float *restrict d_im, float forget,
  int32_t count) {
#pragma clang fp contract(fast)
  float take = 1 - forget;
  for (int32_t k = 0; k < count; k++) {
    sum_re[k] = forget * sum_re[k] + take * (x_re[k] * d_re[k] + x_im[k] * d_im[k]);
    sum_im[k] = forget * sum_im[k] + take * (x_re[k] * d_im[k] - x_im[k] * d_re[k]);
  }
}

// Eight complex signals side by side, one in each lane; each complex signal is two real ones.
typedef float lanes __attribute__((vector_size(32)));

enum { most_stages = 16 };

struct airlink_echo_batch {
  int32_t length, stages;
  int32_t radix[most_stages];
  float *cosine, *sine;  // of 2 pi k / length
  lanes *a_re, *a_im, *b_re, *b_im;
};

airlink_echo_batch *airlink_echo_batch_create(int32_t length) {
  if (length < 2 || length > 1 << 20 || length % 2 != 0) return NULL;
  airlink_echo_batch *batch = calloc(1, sizeof *batch);
  if (batch == NULL) return NULL;
  batch->length = length;
  int32_t left = length;
  static const int32_t radices[] = {4, 5, 3, 2};
  for (int i = 0; i < 4; i++) {
    while (left % radices[i] == 0 && batch->stages < most_stages) {
      batch->radix[batch->stages++] = radices[i];
      left /= radices[i];
    }
  }
  size_t count = (size_t)length;
  batch->cosine = malloc(count * sizeof(float));
  batch->sine = malloc(count * sizeof(float));
  lanes **planes[] = {&batch->a_re, &batch->a_im, &batch->b_re, &batch->b_im};
  for (int i = 0; i < 4; i++) {
    void *plane = NULL;
    if (posix_memalign(&plane, sizeof(lanes), count * sizeof(lanes)) == 0) *planes[i] = plane;
  }
  if (left != 1 || !batch->cosine || !batch->sine || !batch->a_re || !batch->a_im || !batch->b_re ||
      !batch->b_im) {
    airlink_echo_batch_free(batch);
    return NULL;
  }
  for (int32_t k = 0; k < length; k++) {
    double angle = 2 * 3.14159265358979323846 * k / length;
    batch->cosine[k] = (float)cos(angle);
    batch->sine[k] = (float)sin(angle);
  }
  return batch;
}

void airlink_echo_batch_free(airlink_echo_batch *batch) {
  if (batch == NULL) return;
  free(batch->cosine);
  free(batch->sine);
  free(batch->a_re);
  free(batch->a_im);
  free(batch->b_re);
  free(batch->b_im);
  free(batch);
}

// The transform of `radix` points in place: r, i.
INLINE void butterfly(int32_t radix, lanes *r, lanes *i) {
  if (radix == 2) {
    lanes r1 = r[1], i1 = i[1];
    r[1] = r[0] - r1;
    i[1] = i[0] - i1;
    r[0] += r1;
    i[0] += i1;
  } else if (radix == 3) {
    const float half_root = 0.86602540378443865f;
    lanes sr = r[1] + r[2], si = i[1] + i[2];
    lanes dr = (r[1] - r[2]) * half_root, di = (i[1] - i[2]) * half_root;
    lanes mr = r[0] - sr * 0.5f, mi = i[0] - si * 0.5f;
    r[0] += sr;
    i[0] += si;
    r[1] = mr + di;
    i[1] = mi - dr;
    r[2] = mr - di;
    i[2] = mi + dr;
  } else if (radix == 4) {
    lanes ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
    lanes cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
    r[0] = ar + cr;
    i[0] = ai + ci;
    r[1] = br + di;
    i[1] = bi - dr;
    r[2] = ar - cr;
    i[2] = ai - ci;
    r[3] = br - di;
    i[3] = bi + dr;
  } else {
    const float c1 = 0.30901699437494745f, c2 = -0.80901699437494745f;
    const float s1 = 0.95105651629515353f, s2 = 0.58778525229247314f;
    lanes ar = r[1] + r[4], ai = i[1] + i[4], br = r[1] - r[4], bi = i[1] - i[4];
    lanes cr = r[2] + r[3], ci = i[2] + i[3], dr = r[2] - r[3], di = i[2] - i[3];
    lanes mr = r[0] + ar * c1 + cr * c2, mi = i[0] + ai * c1 + ci * c2;
    lanes nr = r[0] + ar * c2 + cr * c1, ni = i[0] + ai * c2 + ci * c1;
    lanes pr = br * s1 + dr * s2, pi = bi * s1 + di * s2;
    lanes qr = br * s2 - dr * s1, qi = bi * s2 - di * s1;
    r[0] += ar + cr;
    i[0] += ai + ci;
    r[1] = mr + pi;
    i[1] = mi - pr;
    r[4] = mr - pi;
    i[4] = mi + pr;
    r[2] = nr + qi;
    i[2] = ni - qr;
    r[3] = nr - qi;
    i[3] = ni + qr;
  }
}

// One stage of Stockham's transform, which sorts itself (Van Loan, "Computational Frameworks for
// the Fast Fourier Transform", 1.7).
INLINE void stage(
  const airlink_echo_batch *batch, int32_t radix, int32_t length, int32_t stride,
  const lanes *from_re, const lanes *from_im, lanes *to_re, lanes *to_im) {
#pragma clang fp contract(fast)
  int32_t part = length / radix;
  for (int32_t p = 0; p < part; p++) {
    for (int32_t q = 0; q < stride; q++) {
      lanes r[5], i[5];
      for (int32_t j = 0; j < radix; j++) {
        r[j] = from_re[q + stride * (p + part * j)];
        i[j] = from_im[q + stride * (p + part * j)];
      }
      butterfly(radix, r, i);
      for (int32_t k = 0; k < radix; k++) {
        int32_t angle = p * k * stride;
        float c = batch->cosine[angle], s = batch->sine[angle];
        to_re[q + stride * (radix * p + k)] = r[k] * c + i[k] * s;
        to_im[q + stride * (radix * p + k)] = i[k] * c - r[k] * s;
      }
    }
  }
}

// Transforms planes a; where the result is comes back: 0 for planes a, 1 for planes b.
// With real and imaginary planes exchanged it is the inverse, `length` times too large.
INLINE int transform(const airlink_echo_batch *batch, int inverse) {
  lanes *re[2] = {batch->a_re, batch->b_re}, *im[2] = {batch->a_im, batch->b_im};
  int at = 0;
  int32_t length = batch->length, stride = 1;
  for (int32_t n = 0; n < batch->stages; n++) {
    int32_t radix = batch->radix[n];
    const lanes *from_re = inverse ? im[at] : re[at], *from_im = inverse ? re[at] : im[at];
    lanes *to_re = inverse ? im[1 - at] : re[1 - at], *to_im = inverse ? re[1 - at] : im[1 - at];
    switch (radix) {
      case 2: stage(batch, 2, length, stride, from_re, from_im, to_re, to_im); break;
      case 3: stage(batch, 3, length, stride, from_re, from_im, to_re, to_im); break;
      case 4: stage(batch, 4, length, stride, from_re, from_im, to_re, to_im); break;
      default: stage(batch, 5, length, stride, from_re, from_im, to_re, to_im); break;
    }
    at = 1 - at;
    length /= radix;
    stride *= radix;
  }
  return at;
}

FOR_PROCESSORS void airlink_echo_batch_constrain(
  airlink_echo_batch *batch, float *const re[], float *const im[], const int32_t taps[]) {
  int32_t length = batch->length, half = length / 2;
  float *a_re = (float *)batch->a_re, *a_im = (float *)batch->a_im;
  for (int lane = 0; lane < 8; lane++) {
    const float *pr = re[lane], *pi = im[lane], *qr = re[lane + 8], *qi = im[lane + 8];
    // A real signal's spectrum is real at both ends.
    a_re[lane] = pr[0];
    a_im[lane] = qr[0];
    a_re[half * 8 + lane] = pr[half];
    a_im[half * 8 + lane] = qr[half];
    for (int32_t k = 1; k < half; k++) {
      a_re[k * 8 + lane] = pr[k] - qi[k];
      a_im[k * 8 + lane] = pi[k] + qr[k];
      a_re[(length - k) * 8 + lane] = pr[k] + qi[k];
      a_im[(length - k) * 8 + lane] = qr[k] - pi[k];
    }
  }
  int at = transform(batch, 1);
  const lanes *from_re = at ? batch->b_re : batch->a_re, *from_im = at ? batch->b_im : batch->a_im;
  float scale = 1 / (float)length;
  for (int32_t n = 0; n < length; n++) {
    lanes keep_re, keep_im;
    for (int lane = 0; lane < 8; lane++) {
      keep_re[lane] = n < taps[lane] ? scale : 0;
      keep_im[lane] = n < taps[lane + 8] ? scale : 0;
    }
    batch->a_re[n] = from_re[n] * keep_re;
    batch->a_im[n] = from_im[n] * keep_im;
  }
  at = transform(batch, 0);
  const float *z_re = (const float *)(at ? batch->b_re : batch->a_re);
  const float *z_im = (const float *)(at ? batch->b_im : batch->a_im);
  for (int lane = 0; lane < 8; lane++) {
    float *pr = re[lane], *pi = im[lane], *qr = re[lane + 8], *qi = im[lane + 8];
    pr[0] = z_re[lane];
    qr[0] = z_im[lane];
    pr[half] = z_re[half * 8 + lane];
    qr[half] = z_im[half * 8 + lane];
    pi[0] = qi[0] = pi[half] = qi[half] = 0;
    for (int32_t k = 1; k < half; k++) {
      float ar = z_re[k * 8 + lane], ai = z_im[k * 8 + lane];
      float br = z_re[(length - k) * 8 + lane], bi = z_im[(length - k) * 8 + lane];
      pr[k] = 0.5f * (ar + br);
      pi[k] = 0.5f * (ai - bi);
      qr[k] = 0.5f * (ai + bi);
      qi[k] = 0.5f * (br - ar);
    }
  }
}
