// Sorting of whole buffers, seen as [outer][n][inner] and ordered along n. NaN sorts last and counts as
// greatest; zeros are equal. Nothing is allocated: sort and argsort are stable merge sorts in place
// (symmetric merges, after Kim and Kutzner, "Stable minimum storage merging by symmetric comparisons", 2004),
// topk keeps a heap in its results.
#pragma once
#include "half.h"

inline namespace cohort_rt {

// What elements are compared by.
template <class T>
RT_INLINE T rt_sort_key(T x) {
  return x;
}
RT_INLINE float rt_sort_key(rt_f16 x) { return rt_from_f16<float>(x.bits); }
RT_INLINE float rt_sort_key(rt_bf16 x) { return rt_from_bf16<float>(x.bits); }

template <class T>
RT_INLINE bool rt_sorts_before(T a, T b) {
  const auto x = rt_sort_key(a), y = rt_sort_key(b);
  return x < y || (y != y && x == x);
}

// n elements, `stride` apart.
template <class T>
struct rt_column {
  T* first;
  int64_t stride;
  T& operator[](int64_t i) const { return first[i * stride]; }
};

template <class T>
RT_INLINE void rt_swap(T& a, T& b) {
  const T old = a;
  a = b;
  b = old;
}

// Exchanges [begin, middle) and [middle, end) of a column, each in its order.
template <class T>
static void rt_rotate(rt_column<T> column, int64_t begin, int64_t middle, int64_t end) {
  const auto reverse = [&](int64_t i, int64_t j) {
    for (--j; i < j; ++i, --j) rt_swap(column[i], column[j]);
  };
  reverse(begin, middle);
  reverse(middle, end);
  reverse(begin, end);
}

template <class T, class Before>
static void rt_insertion_sort(rt_column<T> column, int64_t begin, int64_t end, Before before) {
  for (int64_t i = begin + 1; i < end; ++i) {
    const T moved = column[i];
    int64_t to = i;
    for (; to > begin && before(moved, column[to - 1]); --to) column[to] = column[to - 1];
    column[to] = moved;
  }
}

// Merges the sorted [begin, middle) and [middle, end).
template <class T, class Before>
static void rt_merge(rt_column<T> column, int64_t begin, int64_t middle, int64_t end, Before before) {
  if (begin >= middle || middle >= end || !before(column[middle], column[middle - 1])) return;
  if (end - begin == 2) return rt_swap(column[begin], column[middle]);
  // Finds how much of the left part's end changes places with as much of the right part's beginning, so that
  // all in [begin, half) comes before all in [half, end).
  const int64_t half = begin + (end - begin) / 2, sum = half + middle;
  int64_t start = middle > half ? sum - end : begin, stop = middle > half ? half : middle;
  while (start < stop) {
    const int64_t at = start + (stop - start) / 2;
    if (before(column[sum - 1 - at], column[at]))
      stop = at;
    else
      start = at + 1;
  }
  const int64_t finish = sum - start;
  if (start < middle && middle < finish) rt_rotate(column, start, middle, finish);
  rt_merge(column, begin, start, half, before);
  rt_merge(column, half, finish, end, before);
}

template <class T, class Before>
static void rt_stable_sort(rt_column<T> column, int64_t n, Before before) {
  constexpr int64_t block = 16;
  for (int64_t begin = 0; begin < n; begin += block)
    rt_insertion_sort(column, begin, begin + block < n ? begin + block : n, before);
  for (int64_t width = block; width < n; width *= 2)
    for (int64_t begin = 0; begin + width < n; begin += 2 * width)
      rt_merge(column, begin, begin + width, begin + 2 * width < n ? begin + 2 * width : n, before);
}

// values = x in ascending order.
template <class T>
RT_CALL void rt_sort(T* values, const T* x, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t at = o * n * inner + i;
      const rt_column<T> column{values + at, inner};
      const rt_column<const T> from{x + at, inner};
      for (int64_t r = 0; r < n; ++r) column[r] = from[r];
      rt_stable_sort(column, n, [](T a, T b) { return rt_sorts_before(a, b); });
    }
}

// indices = the positions of those values.
template <class T>
RT_CALL void rt_argsort(int64_t* indices, const T* x, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t at = o * n * inner + i;
      const rt_column<int64_t> column{indices + at, inner};
      const rt_column<const T> from{x + at, inner};
      for (int64_t r = 0; r < n; ++r) column[r] = r;
      rt_stable_sort(column, n, [&](int64_t a, int64_t b) { return rt_sorts_before(from[a], from[b]); });
    }
}

// The k greatest so far, the one to drop first on top: the least, and of equals the one that came last.
template <class T>
struct rt_top_heap {
  rt_column<T> values;
  rt_column<int64_t> indices;

  bool drops_before(int64_t a, int64_t b) const {
    if (rt_sorts_before(values[a], values[b])) return true;
    return !rt_sorts_before(values[b], values[a]) && indices[a] > indices[b];
  }
  void swap(int64_t a, int64_t b) const {
    rt_swap(values[a], values[b]);
    rt_swap(indices[a], indices[b]);
  }
  // Restores the order of the heap of `size` below `at`.
  void sift_down(int64_t at, int64_t size) const {
    for (int64_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && drops_before(child + 1, child)) ++child;
      if (!drops_before(child, at)) return;
      swap(at, child);
      at = child;
    }
  }
};

// The k greatest of n >= k elements and their positions, greatest first, of equals the first.
template <class T>
RT_CALL void rt_topk(T* values, int64_t* indices, const T* x, int64_t outer, int64_t n, int64_t inner,
                     int64_t k) {
  if (k == 0) return;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t at = o * k * inner + i;
      const rt_top_heap<T> heap{{values + at, inner}, {indices + at, inner}};
      const rt_column<const T> from{x + o * n * inner + i, inner};
      for (int64_t r = 0; r < k; ++r) {
        heap.values[r] = from[r];
        heap.indices[r] = r;
      }
      for (int64_t r = k / 2; r-- > 0;) heap.sift_down(r, k);
      for (int64_t r = k; r < n; ++r) {
        if (!rt_sorts_before(heap.values[0], from[r])) continue;
        heap.values[0] = from[r];
        heap.indices[0] = r;
        heap.sift_down(0, k);
      }
      for (int64_t last = k - 1; last > 0; --last) {
        heap.swap(0, last);
        heap.sift_down(0, last);
      }
    }
}

}  // namespace cohort_rt
