#include "compiler/merge/tables.h"

#include <algorithm>
#include <cstring>

namespace cohort::merge {

using namespace kernel;

ExprRef Tables::by_member(DType dtype, const std::vector<std::uint64_t>& bits, const ExprRef& m) {
  const std::uint64_t first = bits.front();
  const bool same = std::all_of(bits.begin(), bits.end(), [&](std::uint64_t b) { return b == first; });
  if (same) return constant({dtype, first});
  if (dtype == DType::kI64) {
    const std::uint64_t step = bits[1] - first;
    bool regular = true;
    for (std::size_t i = 1; i < bits.size(); ++i) regular = regular && bits[i] - bits[i - 1] == step;
    if (regular)
      return m * constant_index(static_cast<std::int64_t>(step)) +
             constant_index(static_cast<std::int64_t>(first));
  }
  return load(table(dtype, bits), dtype, {m});
}

BufferId Tables::table(DType dtype, const std::vector<std::uint64_t>& bits) {
  const auto [found, fresh] = tables_.try_emplace({dtype, bits}, 0);
  if (!fresh) return found->second;
  Tensor data(dtype, {static_cast<std::int64_t>(bits.size())});
  const auto width = static_cast<std::size_t>(dtype_bytes(dtype));
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(data.mutable_data() + i * width, &bits[i], width);
  found->second = add("by member", std::move(data));
  program_.buffers[found->second].table = dtype == DType::kI64;
  return found->second;
}

BufferId Tables::stack(std::string name, const std::vector<BufferId>& parts,
                       std::vector<std::int64_t>& starts) {
  const Shape& shape = program_.buffers[parts.front()].shape;
  const bool alike =
      std::all_of(parts.begin(), parts.end(), [&](BufferId b) { return program_.buffers[b].shape == shape; });
  Extents extents{static_cast<std::int64_t>(parts.size())};
  starts.clear();
  if (alike) {
    for (const Dim& d : shape) extents.push_back(d.offset);
  } else {
    starts.push_back(0);
    for (const BufferId b : parts)
      starts.push_back(starts.back() + max_element_count(program_.buffers[b].shape, {}));
    extents = {starts.back()};
  }
  const auto [found, fresh] = stacks_.try_emplace(parts, 0);
  if (!fresh) return found->second;
  Tensor data(program_.buffers[parts.front()].dtype, std::move(extents));
  std::size_t at = 0;
  for (const BufferId b : parts) {
    const Tensor& part = module_.constants[program_.buffers[b].index].data;
    if (part.bytes() > 0)
      std::memcpy(data.mutable_data() + at, part.data(), static_cast<std::size_t>(part.bytes()));
    at += static_cast<std::size_t>(part.bytes());
  }
  found->second = add(std::move(name), std::move(data));
  program_.buffers[found->second].table =
      std::all_of(parts.begin(), parts.end(), [&](BufferId b) { return program_.buffers[b].table; });
  return found->second;
}

BufferId Tables::add(std::string name, Tensor data) {
  const Extents& extents = data.extents();
  Buffer buffer{name, BufferKind::kConstant, data.dtype(), Shape(extents.begin(), extents.end()),
                static_cast<std::uint32_t>(module_.constants.size())};
  module_.constants.push_back({std::move(name), {buffer.dtype, buffer.shape}, std::move(data)});
  program_.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(program_.buffers.size() - 1);
}

}  // namespace cohort::merge
