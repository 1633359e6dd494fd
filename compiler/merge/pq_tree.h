// A PQ-tree: all orders of n elements in which each of some sets stands side by side, in O(n) memory.
//
// The elements are its leaves. The children of a P node may stand in any order, those of a Q node as they are
// or reversed; the orders are what can be read off the leaves. As text, P nodes are (...) and Q nodes [...]:
//
//   (0 1 2 3 4)       all 120 orders of five elements
//   (0 1 (2 3) 4)     after {2,3}: 48
//   (0 1 [2 3 4])     after {3,4}: 2 3 4 or 4 3 2 are a block, 12 orders
//   ([0 2 3 4] 1)     after {0,2}: 4; {0,4} is refused, for 2 and 3 have to lie between them
//
// K. S. Booth, G. S. Lueker, Testing for the consecutive ones property, interval graphs, and graph planarity
// using PQ-tree algorithms, 1976. In place of their templates, one for each shape that a node may have, whole
// paths of partial nodes become one Q node as in W.-L. Hsu, R. M. McConnell, PC trees and circular-ones
// arrangements, 2003. Every child knows its parent: where two Q nodes become one, those in the shorter list
// learn a new one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cohort {

class PqTree {
 public:
  explicit PqTree(std::uint32_t element_count);

  // Keeps the orders in which the set stands side by side, or, if there is none, leaves the tree as it was
  // and returns false. Elements may repeat.
  //
  // Time: all accepted sets together O(n + N log n) for N elements in them. A refused set takes its number of
  // elements times the tree's depth at worst; for a depth of d, N is of the order of d*d.
  bool reduce(std::span<const std::uint32_t> set);

  // Brings the children of P nodes into ascending order of their smallest elements, Q nodes into the
  // direction whose first element is smaller.
  void arrange();

  std::vector<std::uint32_t> order() const;  // the elements as the tree stands
  std::string to_text() const;
  std::uint64_t steps() const { return steps_; }  // nodes visited by reduce so far, for tests of scaling

 private:
  using NodeId = std::uint32_t;  // leaves are 0, ..., n-1
  using Side = unsigned;         // 0 is the front of a list of children, 1 its back
  static constexpr NodeId kNone = UINT32_MAX;

  struct Node {
    NodeId parent = kNone;
    std::array<NodeId, 2> beside{kNone, kNone};  // its neighbours in the parent's list
    std::array<NodeId, 2> end{kNone, kNone};     // its own list: the outermost children
    std::uint32_t count = 0;                     // of children: 0, 2, ... for P nodes; 3, ... for Q nodes
    bool ordered = false;                        // a Q node
  };
  // How a node lies to the set of the reduction under way. It is full if all its leaves are in the set, and
  // partial if some are, or may be.
  struct Mark {
    bool touched = false;
    bool full = false;
    std::uint32_t full_count = 0;     // of children
    NodeId first_full = kNone;        // the full children: a list through
    NodeId next_full = kNone;         // this
    std::uint32_t partial_count = 0;  // of children
    std::array<NodeId, 2> partial{kNone, kNone};
  };
  // A Q node with its full leaves on one side of its list and all others on the other.
  struct Split {
    NodeId node;
    Side full_side;
  };

  // Whether the set fits: nothing but marks changes (pq_tree.cpp).
  void touch(NodeId x);
  void mark_full(std::span<const std::uint32_t> set);
  NodeId find_apex();
  std::optional<Side> full_side(NodeId x) const;
  bool fits_inside(NodeId apex) const;
  bool fits(NodeId apex) const;
  void clear_marks();

  // Making it stand side by side, which cannot fail any more (pq_rebuild.cpp).
  void rebuild(NodeId apex);
  void rebuild_p(NodeId apex);
  void rebuild_q(NodeId apex);
  Split split(NodeId top);
  Split split_p(NodeId x, Split below);
  NodeId take_full(NodeId x);
  NodeId take_rest(NodeId x);
  Split splice(NodeId parent, Split child, Side toward);

  // Lists of children (pq_rebuild.cpp).
  NodeId make_node(bool ordered);
  void release(NodeId x) { free_.push_back(x); }
  void attach(NodeId parent, NodeId x, Side side);
  void detach(NodeId x);
  void substitute(NodeId old, NodeId x);
  void mirror(NodeId x);
  NodeId next_in_preorder(NodeId x) const;

  std::uint32_t leaf_count_;
  NodeId root_ = kNone;
  std::vector<Node> nodes_;
  std::vector<Mark> marks_;  // by node; all clear between reductions
  std::vector<NodeId> free_;
  std::vector<NodeId> touched_, full_, tips_;  // of the reduction under way
  std::vector<Split> path_;
  std::uint64_t steps_ = 0;
};

}  // namespace cohort
