#include "tools/cohort/explain_placement.h"

#include <fmt/format.h>

namespace cohort {
namespace {

std::string text_of(const Json& json, const char* key) { return json[key].get<std::string>(); }
double number_of(const Json& json, const char* key) { return json[key].get<double>(); }

// The name of the function a program belongs to; copies for common dims follow the functions.
std::string program_name(const CompiledModule& compiled, std::size_t program) {
  if (program < compiled.functions.size()) return compiled.module.functions[program]->name;
  const SpecialisedFunction& copy = compiled.specialised[program - compiled.functions.size()];
  std::string name = compiled.module.functions[copy.function]->name;
  for (const FixedDim& fixed : copy.dims)
    name += fmt::format(" for {} = {}", compiled.module.dims[fixed.dim].name, fixed.value);
  return name;
}

}  // namespace

Json explain_placement(const CompiledModule& compiled) {
  const PlacementReport& report = compiled.placement;
  Json json{{"policy", report.policy}, {"cpu", report.cpu}, {"gpu", report.gpu}, {"policies", Json::array()}};
  for (const PlacementReport::PolicyCost& cost : report.policies)
    json["policies"].push_back({{"policy", cost.policy},
                                {"us", (cost.cpu_ns + cost.gpu_ns + cost.transfer_ns) / 1000},
                                {"cpu_us", cost.cpu_ns / 1000},
                                {"gpu_us", cost.gpu_ns / 1000},
                                {"transfer_us", cost.transfer_ns / 1000},
                                {"uploads", cost.uploads},
                                {"downloads", cost.downloads}});
  json["kernels"] = Json::array();
  for (const PlacementReport::KernelCost& kernel : report.kernels) {
    Json one{{"function", program_name(compiled, kernel.program)},
             {"kernel", kernel.kernel},
             {"on", kernel.on_gpu ? "gpu" : "cpu"},
             {"cpu_us", kernel.cpu_ns / 1000},
             {"gpu_us", kernel.gpu_ns / 1000}};
    if (!kernel.kept.empty()) one["stays"] = kernel.kept;
    json["kernels"].push_back(std::move(one));
  }
  json["transfers"] = Json::array();
  for (const PlacementReport::Crossing& crossing : report.crossings)
    json["transfers"].push_back({{"function", program_name(compiled, crossing.program)},
                                 {"value", crossing.value},
                                 {"direction", crossing.up ? "up" : "down"},
                                 {"bytes", crossing.bytes},
                                 {"us", crossing.ns / 1000}});
  json["state"] = Json::array();
  for (const PlacementReport::Home& home : report.homes)
    json["state"].push_back({{"names", home.states}, {"on", home.on_gpu ? "gpu" : "cpu"}});
  return json;
}

void print_placement(const Json& placement) {
  fmt::print("placement by {}, of {} and {}\n", text_of(placement, "policy"), text_of(placement, "cpu"),
             text_of(placement, "gpu"));
  fmt::print("  {:<8} {:>12} {:>12} {:>12} {:>12} {:>4} {:>5}\n", "policy", "us a call", "on the CPU",
             "on the GPU", "transfers", "up", "down");
  for (const Json& cost : placement["policies"])
    fmt::print("  {:<8} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f} {:>4} {:>5}\n", text_of(cost, "policy"),
               number_of(cost, "us"), number_of(cost, "cpu_us"), number_of(cost, "gpu_us"),
               number_of(cost, "transfer_us"), cost["uploads"].get<std::size_t>(),
               cost["downloads"].get<std::size_t>());
  for (const Json& kernel : placement["kernels"])
    fmt::print("  {} {}: {}, {:.2f} us on the CPU, {}\n", text_of(kernel, "on"), text_of(kernel, "function"),
               text_of(kernel, "kernel"), number_of(kernel, "cpu_us"),
               kernel.contains("stays") ? "not on the GPU: " + text_of(kernel, "stays")
                                        : fmt::format("{:.2f} us on the GPU", number_of(kernel, "gpu_us")));
  for (const Json& transfer : placement["transfers"])
    fmt::print("  {} {}: {}, {:.0f} bytes, {}\n", text_of(transfer, "direction"),
               text_of(transfer, "function"), text_of(transfer, "value"), number_of(transfer, "bytes"),
               number_of(transfer, "us") > 0 ? fmt::format("{:.2f} us", number_of(transfer, "us"))
                                             : "an argument of the kernels that read it");
  for (const Json& state : placement["state"]) {
    const Json& names = state["names"];
    fmt::print("  state {}{} lives on the {}\n", names[0].get<std::string>(),
               names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "",
               text_of(state, "on") == "gpu" ? "GPU" : "CPU");
  }
}

}  // namespace cohort
