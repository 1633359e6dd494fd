#include "situation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/diagnostics.h"
#include "ir/files.h"
#include "ir/json_reader.h"
#include "ir/text_parser.h"

namespace cohort {
namespace {

namespace fs = std::filesystem;

// A new folder that is the current one as long as this lives.
class Scene {
 public:
  Scene() : back_(fs::current_path()) {
    std::string pattern = (fs::temp_directory_path() / "cohort_errors_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::current_path(folder_);
  }
  ~Scene() {
    fs::current_path(back_);
    fs::remove_all(folder_);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

 private:
  fs::path back_;
  fs::path folder_;
};

// "4e 55 'text' 0a" as bytes.
std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      const std::size_t end = text.find('\'', i + 1);
      bytes += text.substr(i + 1, end - i - 1);
      i = end;
    } else if (std::isxdigit(static_cast<unsigned char>(text[i]))) {
      bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
      ++i;
    }
  }
  return bytes;
}

struct Plan {
  std::string graph;
  std::string command;
  std::string environment;
};

void carry_out(const std::string& heading, std::string body, Plan& plan) {
  std::istringstream words(heading);
  std::string kind, name, target;
  words >> kind >> name >> target;
  if (!body.empty()) body.pop_back();
  auto write = [&](const std::string& path, const std::string& bytes) {
    if (plan.graph.empty()) plan.graph = path;
    std::ofstream(path, std::ios::binary) << bytes;
  };
  if (kind == "folder")
    fs::create_directory(name);
  else if (kind == "link")
    fs::create_symlink(target, name);
  else if (kind == "hex")
    write(name, from_hex(body));
  else if (kind == "read")
    plan.graph = name;
  else if (kind == "command")
    plan.command = heading.substr(heading.find(' ') + 1);
  else if (kind == "env")
    plan.environment = heading.substr(heading.find(' ') + 1) + " ";
  else
    write(kind, body);
}

std::string run_tool(const std::string& environment, const std::string& arguments) {
  const std::string command = environment + std::string(COHORT_TOOL) + " " + arguments + " 2>&1 </dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string said;
  std::array<char, 4096> block;
  while (std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) said.append(block.data(), got);
  const int status = ::pclose(pipe);
  return fmt::format("exit {}\n{}", WIFEXITED(status) ? WEXITSTATUS(status) : -1, said);
}

std::string read_graph(const std::string& path) {
  try {
    if (path.ends_with(".json"))
      read_module(path);
    else
      parse_text(read_file(path), path);
  } catch (const UserError& error) {
    return fmt::format("exit {}\n{}\n", static_cast<int>(diagnostic_category(error.diagnostics()[0].id)),
                       error.what());
  }
  return "exit 0\n";
}

}  // namespace

std::string run_situation(const std::string& input) {
  Scene scene;
  Plan plan;
  std::istringstream lines(input);
  std::string heading, body;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("=== ")) {
      body += line + "\n";
      continue;
    }
    if (!heading.empty()) carry_out(heading, body, plan);
    heading = line.substr(4);
    body.clear();
  }
  if (!heading.empty()) carry_out(heading, body, plan);
  return plan.command.empty() ? read_graph(plan.graph) : run_tool(plan.environment, plan.command);
}

}  // namespace cohort
