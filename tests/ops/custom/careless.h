// What strict warnings would not let pass in code of ours.
inline float careless(float x, int unused_one) {
  int y = x * 1.5;
  float x2 = y;
  if (x2 == 1) {
    float y = 3;
    x2 += y;
  }
  unsigned u = y;
  return u < y || x2 > 2 && x < 1 ? x2 : 2.0 * x;
}
