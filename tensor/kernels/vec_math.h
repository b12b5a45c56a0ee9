// exp, log, tanh, sigmoid, erf, expm1 and log1p on vectors, for f32 and f64, within 2 ulp
// (tests/tensor/vec_math_test.cpp measures it).
//
//   exp(x) = 2^n e^r,  n = round(x / ln 2), |r| <= ln(2)/2, e^r by a polynomial: Taylor's in f64, in f32 the
//            minimax polynomial for the relative error of e^r - 1 (2^-26)
//   log(x) = k ln 2 + log(1 + f),  sqrt(1/2) <= 1 + f < sqrt(2), by the series of artanh(f / (2 + f))
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
  // Adding 1.5 * 2^23 + bias to x rounds x to an integer n, and the last bits of the sum are n + bias.
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

template <class T, int R>
using Bits = Lanes<MaskElement<T>, R>;

template <class T, int R>
inline Lanes<T, R> clamp(Lanes<T, R> x, std::type_identity_t<Lanes<T, R>> low, std::type_identity_t<Lanes<T, R>> high) {
  return where(x < low, low, where(x > high, high, x));
}
template <class T, int R>
inline Lanes<T, R> power_of_two(Bits<T, R> n) {  // 2^n for normal exponents
  return bits_as<T>((n + FloatBits<T>::bias) << FloatBits<T>::mantissa);
}

template <class V, class T, size_t N>
inline V polynomial(const T (&c)[N], V z) {  // c[0] + c[1] z + ...
  V p = c[N - 1];
  for (size_t k = N - 1; k-- > 0;) p = p * z + c[k];
  return p;
}

// x = n ln 2 + r, m = e^r - 1.
template <class T, int R>
struct ExpParts {
  Lanes<T, R> shifted, n, m;
  // 2^n for normal exponents n: the sum used for rounding has n + bias in its last bits.
  Lanes<T, R> power() const { return bits_as<T>(bits_as<MaskElement<T>>(shifted) << FloatBits<T>::mantissa); }
};
template <class T, int R>
inline ExpParts<T, R> exp_parts(Lanes<T, R> x) {
  using B = FloatBits<T>;
  Lanes<T, R> shifted = x * static_cast<T>(1.4426950408889634) + B::round_magic;
  Lanes<T, R> n = shifted - B::round_magic;
  Lanes<T, R> r = x - n * B::ln2_hi;
  r = r - n * B::ln2_lo;
  return {shifted, n, (polynomial(B::exp_series, r) * r) * r + r};
}

template <class T, int R>
inline Lanes<T, R> exp(Lanes<T, R> x) {
  using B = FloatBits<T>;
  ExpParts<T, R> e = exp_parts<T>(clamp(x, B::exp_low, B::exp_high));
  // 2^n in two factors, since n may lie below the normal exponents (denormal results) or one above them.
  Bits<T, R> whole = convert_lanes<MaskElement<T>>(e.n), half = whole >> 1;
  Lanes<T, R> y = (e.m + static_cast<T>(1)) * power_of_two<T>(half) * power_of_two<T>(whole - half);
  return where(x != x, x, y);
}

// e^x for x <= 0, but 0 where it is below the normal numbers: enough for a softmax, and takes half the time.
template <class T, int R>
inline Lanes<T, R> exp_of_negative(Lanes<T, R> x) {
  ExpParts<T, R> e = exp_parts<T>(x);
  Lanes<T, R> power = e.power(), y = e.m * power + power;
  return where(x < FloatBits<T>::exp_least, 0, y);
}

template <class T, int R>
inline Lanes<T, R> log(Lanes<T, R> x) {
  using B = FloatBits<T>;
  using I = MaskElement<T>;
  using L = std::numeric_limits<T>;
  Lanes<T, R> valid = where(x > 0, x, 1);  // the bits of other lanes would overflow below
  Bits<T, R> tiny = valid < L::min();
  Lanes<T, R> scaled = where(tiny, valid * B::denormal_scale, valid);
  // Split so that the mantissa is in [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2) before extracting the
  // exponent.
  Bits<T, R> bits = bits_as<I>(scaled), offset = bits_as<I>(Lanes<T, R>(0.70710678118654752440));
  Bits<T, R> k = (bits - offset) >> B::mantissa;
  Lanes<T, R> m = bits_as<T>(bits - (k << B::mantissa));
  k -= tiny & B::denormal_shift;
  Lanes<T, R> f = m - static_cast<T>(1), s = f / (f + static_cast<T>(2)), z = s * s, half = f * f * static_cast<T>(0.5);
  Lanes<T, R> series = 2.0 / (2 * B::log_terms + 1);
  for (int i = B::log_terms - 1; i >= 1; --i) series = series * z + static_cast<T>(2.0 / (2 * i + 1));
  series = series * z;
  Lanes<T, R> exponent = convert_lanes<T>(k);
  Lanes<T, R> y = exponent * B::ln2_hi - ((half - (s * (half + series) + exponent * B::ln2_lo)) - f);
  y = where(x == L::infinity(), x, y);
  y = where(x == 0, -L::infinity(), y);
  y = where(x < 0, L::quiet_NaN(), y);
  return where(x != x, x, y);
}

// y >= 0 with the sign of x; -0 has a sign too.
template <class T, int R>
inline Lanes<T, R> with_sign(Lanes<T, R> y, Lanes<T, R> x) {
  using I = MaskElement<T>;
  return bits_as<T>(bits_as<I>(y) | (bits_as<I>(x) & bits_as<I>(Lanes<T, R>(-0.0))));
}

// e^x - 1 for x <= 0 such that e^x is a normal number.
template <class T, int R>
inline Lanes<T, R> expm1_of_negative(Lanes<T, R> x) {
  ExpParts<T, R> e = exp_parts<T>(x);
  Lanes<T, R> power = e.power();
  return e.m * power + (power - static_cast<T>(1));
}

// tanh(t) for t < 0.625 (Cephes), and a quotient for the rest; one division serves both.
template <int R>
inline Lanes<float, R> tanh_of(Lanes<float, R> t, Lanes<float, R> near, Lanes<float, R> over, Lanes<float, R> under) {
  constexpr float c[] = {-3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f, 2.06390887954e-2f,
                         -5.70498872745e-3f};
  Lanes<float, R> z = t * t, y = polynomial(c, z) * (z * t) + t;
  return where(t < near, y, 1 - over / under);
}
template <int R>
inline Lanes<double, R> tanh_of(Lanes<double, R> t, Lanes<double, R> near, Lanes<double, R> over,
                                Lanes<double, R> under) {
  Lanes<double, R> z = t * t;
  Lanes<double, R> p = (z * -9.64399179425052238628e-1 - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
  Lanes<double, R> q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3;
  Lanes<double, R> quotient = where(t < near, p, over) / where(t < near, q, under);
  return where(t < near, t + t * z * quotient, 1 - quotient);
}
template <class T, int R>
inline Lanes<T, R> tanh(Lanes<T, R> x) {
  Lanes<T, R> end = FloatBits<T>::tanh_end, size = abs(x), t = where(size > end, end, size);
  ExpParts<T, R> e = exp_parts<T>(t * static_cast<T>(-2));
  Lanes<T, R> power = e.power(), w = e.m * power + power;
  return with_sign<T>(tanh_of(t, Lanes<T, R>(0.625), w + w, w + 1), x);
}

template <class T, int R>
inline Lanes<T, R> sigmoid(Lanes<T, R> x) {  // uses exp(-|x|): no overflow, accurate down to denormal results
  Lanes<T, R> e = exp(-abs(x)), positive = 1 / (1 + e);
  return where(x < 0, e - e * (e * positive), positive);
}

template <class T, int R>
inline Lanes<T, R> expm1(Lanes<T, R> x) {
  using B = FloatBits<T>;
  ExpParts<T, R> e = exp_parts<T>(clamp(x, -50, B::exp_high));  // below -50 it is -1
  Lanes<T, R> bounded = where(e.n < 100, e.n, 100);  // 1 - 2^-100 rounds to 1; 2^-1024 is not a normal number
  Lanes<T, R> gap = 1 - power_of_two<T>(convert_lanes<MaskElement<T>>(-bounded));
  Bits<T, R> whole = convert_lanes<MaskElement<T>>(e.n), half = whole >> 1;
  Lanes<T, R> y = (e.m + gap) * power_of_two<T>(half) * power_of_two<T>(whole - half);
  return where((x == 0) | (x != x), x, y);  // -0 stays -0
}

template <class T, int R>
inline Lanes<T, R> log1p(Lanes<T, R> x) {
  Lanes<T, R> one = 1, u = one + x;
  Lanes<T, R> lost = where(x > 1, one - (u - x), x - (u - one));
  Lanes<T, R> ends = where(x < -1, std::numeric_limits<T>::quiet_NaN(), log(u));  // -inf at -1, inf at inf
  Bits<T, R> finite = (x > -1) & (x <= std::numeric_limits<T>::max());
  return where(x == 0, x, where(finite, ends + lost / u, where(x != x, x, ends)));
}

template <int R>
inline Lanes<double, R> erf_near(Lanes<double, R> z) {
  constexpr double c[] = {0.1283791670955125665,    -0.3761263890318354044,     0.1128379167094500627,
                          -0.02686617064323777036,  0.005223977607116422732,    -0.0008548325975389692081,
                          0.0001205529490483970792, -0.00001492473690741966034, 1.644742470331736241e-6,
                          -1.62084838018717059e-7,  1.37200645467776856e-8,     -7.795898827002142242e-10};
  return polynomial(c, z);
}
template <int R>
inline Lanes<double, R> erfc_scaled(Lanes<double, R> s) {
  constexpr double c[] = {0.42758357615580701454,   -1.0928480591356024975,    1.3770969228160687247,
                          -1.2234841075412894417,   0.7239166828972577953,     -0.22394686096516169035,
                          -0.022371158943676071682, 0.042637682277267553102,   -0.0021546405617355901829,
                          -0.008502449201124162347, 0.00059662944594909903795, 0.0014194981550189360104,
                          0.0010331548403346670056, -0.0013502170899051354595, 0.00037372494487685339481};
  return polynomial(c, s);
}

template <int R>
inline Lanes<double, R> erf_of(Lanes<double, R> x) {
  Lanes<double, R> one = 1, end = 6;  // from 6 on, erf rounds to 1
  Lanes<double, R> magnitude = abs(x), far = clamp(magnitude, one, end);
  Lanes<double, R> tail = exp(-(far * far)) * erfc_scaled((far - one) / (far + 3.0));
  Lanes<double, R> near = where(magnitude < one, x, 0);
  return where(magnitude < one, near * erf_near(near * near) + near,
               where(x != x, x, with_sign<double>(one - tail, x)));
}

// log erfc(t) for 0 <= t <= kErfEnd; beyond that, erf rounds to 1.
constexpr float kErfEnd = 3.95f;
template <int R>
inline Lanes<float, R> log_erfc(Lanes<float, R> t) {
  constexpr float c[] = {-0.12837916677f,    -0.636619817926f,   -0.102771595426f,   0.0191199591003f,
                         0.000245183167028f, -0.00178414628469f, 0.000723378413626f, -0.000155649709126f,
                         1.66026333961e-5f,  -1.64284617705e-7f, -9.23518628089e-8f};
  return polynomial(c, t) * t - t;
}
template <int R>
inline Lanes<float, R> erf_of(Lanes<float, R> x) {
  Lanes<float, R> size = abs(x);
  return with_sign<float>(0 - expm1_of_negative(log_erfc(where(size > kErfEnd, kErfEnd, size))), x);
}

template <class T, int R>
inline Lanes<T, R> erf(Lanes<T, R> x) {
  return erf_of(x);
}

}  // namespace heed
