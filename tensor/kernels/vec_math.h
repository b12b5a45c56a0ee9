// exp, log, tanh, sigmoid, erf, expm1 and log1p on vectors, for f32 and f64, within 2 ulp
// (tests/tensor/vec_math_test.cpp measures it).
//
//   exp(x) = 2^n e^r,  n = round(x / ln 2), |r| <= ln(2)/2, e^r by a polynomial: Taylor's in f64, in f32 the
//            minimax polynomial for the relative error of e^r - 1 (2^-26)
//   log(x) = k ln 2 + log(1 + f),  sqrt(1/2) < 1 + f <= sqrt(2), by the series of artanh(f / (2 + f))
//   tanh(x) = x + x^3 P(x^2)/Q(x^2) for |x| < 0.625 (Cephes; Q = 1 in f32), else 1 - 2 w / (1 + w), w = e^(-2|x|),
//            with the sign of x
//   sigmoid(x) = 1 / (1 + e) or, below 0, e - e e / (1 + e),  e = exp(-|x|)
//   erf(x), f32: 1 - e^-q,  q = -log erfc|x| = |x| + |x| P(|x|), P minimax for erf; with the sign of x
//   erf(x), f64: x + x P(x^2) for |x| < 1, else 1 - exp(-x^2) Q(s) with the sign of x, s = (|x| - 1) / (|x| + 3). P and
//            Q interpolate erf(x)/x - 1 and exp(x^2) erfc(x) at Chebyshev's nodes (computed to 40 digits).
//   expm1(x) = 2^n ((e^r - 1) + (1 - 2^-n)), n and r as in exp: nothing cancels, since |e^r - 1| < |1 - 2^-n| or n = 0
//   log1p(x) = log(u) + c / u,  u = 1 + x rounded, c = x - (u - 1) what the rounding lost
//
// Infinities, denormals and NaN give the results of the C library. There are no branches: both sides are computed, and
// each lane selects one.
#pragma once

#include <limits>

#include "tensor/kernels/simd.h"

namespace heed {

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  static constexpr int mantissa = 23, bias = 127, log_terms = 6;
  // 1.5 * 2^23 + bias: adding it rounds to an integer, whose exponent bits then end the word.
  static constexpr float round_magic = 12582912.0f + 127;
  // (e^r - 1 - r) / r^2
  static constexpr float exp_series[] = {0.499999981496f, 0.166665434245f, 0.0416672007174f, 0.00836654710066f,
                                         0.00138825161263f};
  static constexpr float ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f;
  static constexpr float exp_low = -104.0f, exp_high = 89.0f;  // beyond these, 0 and infinity
  static constexpr float exp_least = -87.0f;                   // above it, e^x is a normal number
  static constexpr float tanh_end = 10.0f;                     // from here on, tanh rounds to 1
  static constexpr float denormal_scale = 0x1p25f;
  static constexpr int denormal_shift = 25;
};
template <>
struct FloatBits<double> {
  static constexpr int mantissa = 52, bias = 1023, log_terms = 12;
  static constexpr double round_magic = 6755399441055744.0 + 1023;  // 1.5 * 2^52 + bias
  static constexpr double exp_series[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                          1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                          1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
  static constexpr double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
  static constexpr double exp_low = -746.0, exp_high = 710.0;
  static constexpr double exp_least = -708.0, tanh_end = 20.0;
  static constexpr double denormal_scale = 0x1p54;
  static constexpr int denormal_shift = 54;
};

template <class T>
inline Vec<T> power_of_two(typename VecOf<T>::I n) {  // 2^n for normal exponents
  return reinterpret_cast<Vec<T>>((n + FloatBits<T>::bias) << FloatBits<T>::mantissa);
}

template <class V, class T, size_t N>
inline V polynomial(const T (&c)[N], V z) {  // c[0] + c[1] z + ...
  V p = splat(c[N - 1]);
  for (size_t k = N - 1; k-- > 0;) p = p * z + c[k];
  return p;
}

// x = n ln 2 + r, m = e^r - 1.
template <class T>
struct ExpParts {
  Vec<T> shifted, n, m;
  // 2^n for normal exponents n: the sum used for rounding has n + bias in its last bits.
  Vec<T> power() const {
    return reinterpret_cast<Vec<T>>(reinterpret_cast<typename VecOf<T>::I>(shifted) << FloatBits<T>::mantissa);
  }
};
template <class T>
inline ExpParts<T> exp_parts(Vec<T> x) {
  using B = FloatBits<T>;
  Vec<T> shifted = x * static_cast<T>(1.4426950408889634) + B::round_magic;
  Vec<T> n = shifted - B::round_magic;
  Vec<T> r = x - n * B::ln2_hi;
  r = r - n * B::ln2_lo;
  return {shifted, n, (polynomial(B::exp_series, r) * r) * r + r};
}

template <class T>
inline Vec<T> vexp(Vec<T> x) {
  using B = FloatBits<T>;
  using I = typename VecOf<T>::I;
  Vec<T> low = splat(B::exp_low), high = splat(B::exp_high);
  ExpParts<T> e = exp_parts<T>(x < low ? low : (x > high ? high : x));
  // 2^n in two factors, since n may lie below the normal exponents (denormal results) or one above them.
  I whole = __builtin_convertvector(e.n, I), half = whole >> 1;
  Vec<T> y = (e.m + static_cast<T>(1)) * power_of_two<T>(half) * power_of_two<T>(whole - half);
  return x != x ? x : y;
}

// e^x for x <= 0, but 0 where it is below the normal numbers: enough for a softmax, and takes half the time.
template <class T>
inline Vec<T> vexp_of_negative(Vec<T> x) {
  ExpParts<T> e = exp_parts<T>(x);
  Vec<T> power = e.power(), y = e.m * power + power;
  return x < splat(FloatBits<T>::exp_least) ? Vec<T>{} : y;
}

template <class T>
inline Vec<T> vlog(Vec<T> x) {
  using B = FloatBits<T>;
  using I = typename VecOf<T>::I;
  using L = std::numeric_limits<T>;
  Vec<T> zero = {};
  Vec<T> valid = x > zero ? x : splat(static_cast<T>(1));  // the bits of other lanes would overflow below
  auto tiny = valid < splat(L::min());
  Vec<T> scaled = tiny ? valid * B::denormal_scale : valid;
  // Split so that the mantissa is in [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2) before extracting the
  // exponent.
  I bits = reinterpret_cast<I>(scaled), offset = reinterpret_cast<I>(splat(static_cast<T>(0.70710678118654752440)));
  I k = (bits - offset) >> B::mantissa;
  Vec<T> m = reinterpret_cast<Vec<T>>(bits - (k << B::mantissa));
  I shift = {};
  k -= reinterpret_cast<I>(tiny) & (shift + B::denormal_shift);
  Vec<T> f = m - static_cast<T>(1), s = f / (f + static_cast<T>(2)), z = s * s, half = f * f * static_cast<T>(0.5);
  Vec<T> series = splat(static_cast<T>(2.0 / (2 * B::log_terms + 1)));
  for (int i = B::log_terms - 1; i >= 1; --i) series = series * z + static_cast<T>(2.0 / (2 * i + 1));
  series = series * z;
  Vec<T> exponent = __builtin_convertvector(k, Vec<T>);
  Vec<T> y = exponent * B::ln2_hi - ((half - (s * (half + series) + exponent * B::ln2_lo)) - f);
  y = x == splat(L::infinity()) ? x : y;
  y = x == zero ? splat(-L::infinity()) : y;
  y = x < zero ? splat(L::quiet_NaN()) : y;
  return x != x ? x : y;
}

// y >= 0 with the sign of x; -0 has a sign too.
template <class T>
inline Vec<T> with_sign(Vec<T> y, Vec<T> x) {
  using I = typename VecOf<T>::I;
  return reinterpret_cast<Vec<T>>(reinterpret_cast<I>(y) |
                                  (reinterpret_cast<I>(x) & reinterpret_cast<I>(splat(T{-0.0}))));
}

// e^x - 1 for x <= 0 such that e^x is a normal number.
template <class T>
inline Vec<T> vexpm1_of_negative(Vec<T> x) {
  ExpParts<T> e = exp_parts<T>(x);
  Vec<T> power = e.power();
  return e.m * power + (power - static_cast<T>(1));
}

// tanh(t) for t < 0.625 (Cephes), and a quotient for the rest; one division serves both.
inline F32x16 tanh_of(F32x16 t, F32x16 near, F32x16 over, F32x16 under) {
  constexpr float c[] = {-3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f, 2.06390887954e-2f,
                         -5.70498872745e-3f};
  F32x16 z = t * t, y = polynomial(c, z) * (z * t) + t;
  return t < near ? y : 1.0f - over / under;
}
inline F64x8 tanh_of(F64x8 t, F64x8 near, F64x8 over, F64x8 under) {
  F64x8 z = t * t;
  F64x8 p = (z * -9.64399179425052238628e-1 - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
  F64x8 q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3;
  F64x8 quotient = (t < near ? p : over) / (t < near ? q : under);
  return t < near ? t + t * z * quotient : 1.0 - quotient;
}
template <class T>
inline Vec<T> vtanh(Vec<T> x) {
  Vec<T> end = splat(FloatBits<T>::tanh_end), size = vabs(x), t = size > end ? end : size;
  ExpParts<T> e = exp_parts<T>(t * static_cast<T>(-2));
  Vec<T> power = e.power(), w = e.m * power + power;
  return with_sign<T>(tanh_of(t, splat(static_cast<T>(0.625)), w + w, w + static_cast<T>(1)), x);
}

template <class T>
inline Vec<T> vsigmoid(Vec<T> x) {  // uses exp(-|x|): no overflow, accurate down to denormal results
  Vec<T> e = vexp<T>(-vabs(x)), positive = static_cast<T>(1) / (static_cast<T>(1) + e);
  return x < Vec<T>{} ? e - e * (e * positive) : positive;
}

template <class T>
inline Vec<T> vexpm1(Vec<T> x) {
  using B = FloatBits<T>;
  using I = typename VecOf<T>::I;
  Vec<T> low = splat(static_cast<T>(-50)), high = splat(B::exp_high), most = splat(static_cast<T>(100));
  ExpParts<T> e = exp_parts<T>(x < low ? low : (x > high ? high : x));  // below -50 it is -1
  Vec<T> bounded = e.n < most ? e.n : most;  // 1 - 2^-100 rounds to 1; 2^-1024 is not a normal number
  Vec<T> gap = static_cast<T>(1) - power_of_two<T>(__builtin_convertvector(-bounded, I));
  I whole = __builtin_convertvector(e.n, I), half = whole >> 1;
  Vec<T> y = (e.m + gap) * power_of_two<T>(half) * power_of_two<T>(whole - half);
  return ((x == Vec<T>{}) | (x != x)) ? x : y;  // -0 stays -0
}

template <class T>
inline Vec<T> vlog1p(Vec<T> x) {
  Vec<T> one = splat(static_cast<T>(1)), u = one + x;
  Vec<T> lost = x > one ? one - (u - x) : x - (u - one);
  Vec<T> ends = x < -one ? splat(std::numeric_limits<T>::quiet_NaN()) : vlog<T>(u);  // -inf at -1, inf at inf
  Vec<T> finite = splat(std::numeric_limits<T>::max());
  return x == Vec<T>{} ? x : (((x > -one) & (x <= finite)) ? ends + lost / u : (x != x ? x : ends));
}

inline F64x8 erf_near(F64x8 z) {
  constexpr double c[] = {0.1283791670955125665,    -0.3761263890318354044,     0.1128379167094500627,
                          -0.02686617064323777036,  0.005223977607116422732,    -0.0008548325975389692081,
                          0.0001205529490483970792, -0.00001492473690741966034, 1.644742470331736241e-6,
                          -1.62084838018717059e-7,  1.37200645467776856e-8,     -7.795898827002142242e-10};
  return polynomial(c, z);
}
inline F64x8 erfc_scaled(F64x8 s) {
  constexpr double c[] = {0.42758357615580701454,   -1.0928480591356024975,    1.3770969228160687247,
                          -1.2234841075412894417,   0.7239166828972577953,     -0.22394686096516169035,
                          -0.022371158943676071682, 0.042637682277267553102,   -0.0021546405617355901829,
                          -0.008502449201124162347, 0.00059662944594909903795, 0.0014194981550189360104,
                          0.0010331548403346670056, -0.0013502170899051354595, 0.00037372494487685339481};
  return polynomial(c, s);
}

inline F64x8 erf_of(F64x8 x) {
  F64x8 one = splat(1.0), end = splat(6.0);  // from 6 on, erf rounds to 1
  F64x8 magnitude = vabs(x), far = magnitude < one ? one : (magnitude > end ? end : magnitude);
  F64x8 tail = vexp<double>(-(far * far)) * erfc_scaled((far - one) / (far + 3.0));
  F64x8 near = magnitude < one ? x : F64x8{};
  return magnitude < one ? near * erf_near(near * near) + near : (x != x ? x : with_sign<double>(one - tail, x));
}

// log erfc(t) for 0 <= t <= kErfEnd; beyond that, erf rounds to 1.
constexpr float kErfEnd = 3.95f;
inline F32x16 log_erfc(F32x16 t) {
  constexpr float c[] = {-0.12837916677f,    -0.636619817926f,   -0.102771595426f,   0.0191199591003f,
                         0.000245183167028f, -0.00178414628469f, 0.000723378413626f, -0.000155649709126f,
                         1.66026333961e-5f,  -1.64284617705e-7f, -9.23518628089e-8f};
  return polynomial(c, t) * t - t;
}
inline F32x16 erf_of(F32x16 x) {
  F32x16 end = splat(kErfEnd), size = vabs(x);
  return with_sign<float>(-vexpm1_of_negative<float>(log_erfc(size > end ? end : size)), x);
}

template <class T>
inline Vec<T> verf(Vec<T> x) {
  return erf_of(x);
}

}  // namespace heed
