// State to and from a safetensors file (https://github.com/huggingface/safetensors#format). Keys are the
// state variables' names as the model has them; nothing in the file depends on the layout in memory. Includes
// the C library, as error_text.h does: modules include these two in one source only.
#pragma once
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

inline namespace cohort_rt {

constexpr const char* rt_dtype_keys[] = {"BOOL", "I8",  "I16", "I32",  "I64", "U8", "U16",
                                         "U32",  "U64", "F16", "BF16", "F32", "F64"};

// --- Writing ---

// A growing text; `failed` once memory ran out.
struct rt_text {
  char* data;
  size_t size, capacity;
  bool failed;
};
RT_CALL void rt_append(rt_text& text, const char* bytes, size_t count) {
  if (text.failed) return;
  if (text.size + count > text.capacity) {
    const size_t capacity = 2 * (text.size + count) + 256;
    char* data = static_cast<char*>(realloc(text.data, capacity));
    if (!data) {
      text.failed = true;
      return;
    }
    text.data = data;
    text.capacity = capacity;
  }
  memcpy(text.data + text.size, bytes, count);
  text.size += count;
}
RT_CALL void rt_append_number(rt_text& text, uint64_t number) {
  char digits[24];
  rt_append(
      text, digits,
      static_cast<size_t>(snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number))));
}
RT_CALL void rt_append_string(rt_text& text, const char* name) {
  rt_append(text, "\"", 1);
  for (const char* c = name; *c; ++c) {
    char escaped[8];
    const unsigned char byte = static_cast<unsigned char>(*c);
    if (byte == '"' || byte == '\\') {
      escaped[0] = '\\';
      escaped[1] = *c;
      rt_append(text, escaped, 2);
    } else if (byte < 0x20) {
      rt_append(text, escaped,
                static_cast<size_t>(snprintf(escaped, sizeof escaped, "\\u%04x", unsigned{byte})));
    } else {
      rt_append(text, c, 1);
    }
  }
  rt_append(text, "\"", 1);
}
// The file's header: its length in 8 bytes, then JSON padded with spaces to a multiple of 8.
RT_CALL rt_text rt_checkpoint_header(const rt_module& module) {
  rt_text text = {nullptr, 0, 0, false};
  const char start[] = "\0\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"cohort-state\"}";
  rt_append(text, start, sizeof start - 1);
  uint64_t at = 0;
  for (size_t k = 0; k < module.state_count; ++k) {
    const rt_state state = rt_state_at(module, k);
    rt_append(text, ",", 1);
    rt_append_string(text, state.name);
    rt_append(text, ":{\"dtype\":\"", 11);
    rt_append(text, rt_dtype_keys[state.dtype], strlen(rt_dtype_keys[state.dtype]));
    rt_append(text, "\",\"shape\":[", 11);
    for (int32_t axis = 0; axis < state.rank; ++axis) {
      if (axis) rt_append(text, ",", 1);
      rt_append_number(text, static_cast<uint64_t>(state.shape[axis]));
    }
    rt_append(text, "],\"data_offsets\":[", 18);
    rt_append_number(text, at);
    rt_append(text, ",", 1);
    rt_append_number(text, at += rt_state_bytes(state));
    rt_append(text, "]}", 2);
  }
  rt_append(text, "}", 1);
  rt_append(text, "       ", (8 - text.size % 8) % 8);
  if (text.failed) return text;
  for (size_t k = 0; k < 8; ++k) text.data[k] = static_cast<char>((text.size - 8) >> (8 * k) & 0xff);
  return text;
}
RT_CALL bool rt_write_checkpoint(const rt_module& module, void* workspace, FILE* file) {
  rt_text header = rt_checkpoint_header(module);
  bool good = !header.failed && fwrite(header.data, 1, header.size, file) == header.size;
  free(header.data);
  for (size_t k = 0; good && k < module.state_count; ++k) {
    const rt_state state = rt_state_at(module, k);
    const size_t bytes = rt_state_bytes(state);
    unsigned char* contiguous = static_cast<unsigned char*>(malloc(bytes ? bytes : 1));
    if (!contiguous) return false;
    rt_copy_state(state, workspace, contiguous, false);
    good = fwrite(contiguous, 1, bytes, file) == bytes;
    free(contiguous);
  }
  return good && fflush(file) == 0 && fsync(fileno(file)) == 0;
}
// Writes beside the file, then renames, so that `path` is always whole.
RT_CALL int32_t rt_save(const rt_module& module, void* workspace, const char* path) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!path) return rt_fail(header, COHORT_NULL_ARGUMENT, "save", "path", nullptr, 0, 0);
  const size_t length = strlen(path) + 32;
  char* beside = static_cast<char*>(malloc(length));
  if (!beside) return rt_fail(header, COHORT_IO_ERROR, "save", "path", "out of memory", 0, ENOMEM);
  snprintf(beside, length, "%s.%ld.tmp", path, static_cast<long>(getpid()));
  errno = 0;
  FILE* file = fopen(beside, "wb");
  const char* what = "the file cannot be opened for writing";
  bool good = file != nullptr;
  if (file) {
    what = "the file cannot be written";
    good = rt_write_checkpoint(module, workspace, file);
    good = fclose(file) == 0 && good;
    good = good && rename(beside, path) == 0;
  }
  const int error = errno;
  if (file && !good) remove(beside);
  free(beside);
  return good ? int32_t{COHORT_OK} : rt_fail(header, COHORT_IO_ERROR, "save", "path", what, 0, error);
}

// --- Reading ---

// A cursor over the file's JSON header. Reading past a mistake clears `good`, and nothing moves any more.
struct rt_json {
  const char* at;
  const char* end;
  bool good;
};
RT_CALL bool rt_json_take(rt_json& json, char c) {
  while (json.at < json.end && (*json.at == ' ' || *json.at == '\n' || *json.at == '\r' || *json.at == '\t'))
    ++json.at;
  if (!json.good || json.at == json.end || *json.at != c) return false;
  ++json.at;
  return true;
}
RT_CALL void rt_json_expect(rt_json& json, char c) { json.good = rt_json_take(json, c) && json.good; }
RT_CALL uint32_t rt_json_hex(rt_json& json) {
  uint32_t value = 0;
  for (int k = 0; k < 4; ++k) {
    const char c = json.at < json.end ? *json.at++ : 'x';
    const int digit = c >= '0' && c <= '9'                 ? c - '0'
                      : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                           : -1;
    if (digit < 0) json.good = false;
    value = value << 4 | static_cast<uint32_t>(digit & 15);
  }
  return value;
}
RT_CALL size_t rt_utf8(uint32_t code, char* out) {
  constexpr uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  out[0] = static_cast<char>(first[more] | code >> 6 * more);
  for (int k = 1; k <= more; ++k) out[k] = static_cast<char>(0x80 | (code >> 6 * (more - k) & 0x3f));
  return static_cast<size_t>(more + 1);
}
// A string's contents into `out`, which has room for `room` bytes; longer strings and zero bytes are
// mistakes.
RT_CALL void rt_json_string(rt_json& json, char* out, size_t room) {
  rt_json_expect(json, '"');
  size_t size = 0;
  while (json.good && json.at < json.end && *json.at != '"' && size + 5 < room) {
    char c = *json.at++;
    if (c != '\\') {
      out[size++] = c;
      continue;
    }
    c = json.at < json.end ? *json.at++ : '\0';
    if (c == 'u') {
      uint32_t code = rt_json_hex(json);
      if (code >= 0xd800 && code < 0xdc00 && json.end - json.at > 6 && json.at[0] == '\\' &&
          json.at[1] == 'u') {
        json.at += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (rt_json_hex(json) - 0xdc00);
      }
      size += rt_utf8(code & 0x1fffff, out + size);
      continue;
    }
    const char* const from = "\"\\/bfnrt";
    const char* found = c ? strchr(from, c) : nullptr;
    json.good = found != nullptr;
    out[size++] = found ? "\"\\/\b\f\n\r\t"[found - from] : '?';
  }
  out[size] = '\0';
  json.good = json.good && memchr(out, 0, size) == nullptr;
  rt_json_expect(json, '"');
}
RT_CALL uint64_t rt_json_number(rt_json& json) {
  rt_json_take(json, '\0');  // skips spaces
  uint64_t value = 0;
  int digits = 0;
  for (; json.at < json.end && *json.at >= '0' && *json.at <= '9' && digits < 18; ++digits) {
    value = value * 10 + static_cast<uint64_t>(*json.at++ - '0');
  }
  json.good = json.good && digits > 0;
  return value;
}

// A file in memory: `data` its tensors, `place[k]` where state k begins in them, or rt_zeros while it was not
// seen.
struct rt_checkpoint {
  char* bytes;
  char* text;  // room for one string of the header
  uint64_t header, size;
  uint64_t* place;
};

// What does not fit, or null; `argument` is the variable, once it is known. Leaves the cursor behind the
// entry.
RT_CALL const char* rt_read_entry(const rt_module& module, rt_checkpoint& file, rt_json& json,
                                  const char*& argument) {
  const uint64_t room = file.header + 16;
  const size_t found = rt_find_state(module, file.text);
  if (found == module.state_count) return "the file holds a variable that this module has not";
  const rt_state state = rt_state_at(module, found);
  argument = state.name;
  uint64_t begin = 0, end = 0;
  int fields = 0;
  rt_json_expect(json, '{');
  do {
    rt_json_string(json, file.text, room);
    rt_json_expect(json, ':');
    if (!json.good) return "the header is malformed";
    ++fields;
    if (strcmp(file.text, "dtype") == 0) {
      rt_json_string(json, file.text, room);
      if (strcmp(file.text, rt_dtype_keys[state.dtype]) != 0) return "the dtype in the file differs";
    } else if (strcmp(file.text, "shape") == 0) {
      rt_json_expect(json, '[');
      for (int32_t axis = 0; axis < state.rank; ++axis) {
        if (axis) rt_json_expect(json, ',');
        if (rt_json_number(json) != static_cast<uint64_t>(state.shape[axis]) || !json.good)
          return "the shape in the file differs";
      }
      if (!rt_json_take(json, ']')) return "the shape in the file differs";
    } else if (strcmp(file.text, "data_offsets") == 0) {
      rt_json_expect(json, '[');
      begin = rt_json_number(json);
      rt_json_expect(json, ',');
      end = rt_json_number(json);
      rt_json_expect(json, ']');
    } else {
      return "the header is malformed";
    }
  } while (rt_json_take(json, ','));
  rt_json_expect(json, '}');
  if (!json.good || fields != 3) return "the header is malformed";
  const uint64_t data = file.size - 8 - file.header;
  if (begin > end || end > data || end - begin != rt_state_bytes(state)) return "the offsets are wrong";
  uint64_t& place = file.place[found];
  if (place != rt_zeros) return "the file holds the variable twice";
  place = begin;
  return nullptr;
}
RT_CALL const char* rt_read_header(const rt_module& module, rt_checkpoint& file, const char*& argument) {
  argument = nullptr;
  if (file.size < 10) return "the file is cut off";
  file.header = 0;
  for (int k = 8; k-- > 0;) file.header = file.header << 8 | static_cast<unsigned char>(file.bytes[k]);
  if (file.header > file.size - 8) return "the file is cut off";
  const size_t room = file.header + 16;
  file.text = static_cast<char*>(malloc(room));
  if (!file.text) return "out of memory";
  rt_json json = {file.bytes + 8, file.bytes + 8 + file.header, true};
  rt_json_expect(json, '{');
  if (!rt_json_take(json, '}')) {
    do {
      argument = nullptr;
      rt_json_string(json, file.text, room);
      rt_json_expect(json, ':');
      if (!json.good) return "the header is malformed";
      if (strcmp(file.text, "__metadata__") == 0) {
        rt_json_expect(json, '{');
        do {
          rt_json_string(json, file.text, room);
          rt_json_expect(json, ':');
          rt_json_string(json, file.text, room);
        } while (rt_json_take(json, ','));
        rt_json_expect(json, '}');
        continue;
      }
      if (const char* wrong = rt_read_entry(module, file, json, argument)) return wrong;
    } while (rt_json_take(json, ','));
    rt_json_expect(json, '}');
  }
  argument = nullptr;
  if (!json.good) return "the header is malformed";
  for (size_t k = 0; k < module.state_count; ++k) {
    if (file.place[k] != rt_zeros) continue;
    argument = rt_state_at(module, k).name;
    return "the file lacks the variable";
  }
  return nullptr;
}
RT_CALL bool rt_read_file(const char* path, rt_checkpoint& file) {
  FILE* stream = fopen(path, "rb");
  if (!stream) return false;
  bool good = fseek(stream, 0, SEEK_END) == 0;
  const long size = good ? ftell(stream) : -1;
  good = size >= 0 && fseek(stream, 0, SEEK_SET) == 0;
  if (good) {
    file.size = static_cast<uint64_t>(size);
    file.bytes = static_cast<char*>(malloc(file.size + 1));
    good = file.bytes && fread(file.bytes, 1, file.size, stream) == file.size;
  }
  const int error = errno;
  fclose(stream);
  errno = error;
  return good;
}
// Variables in one place must be equal in the file, too. What is wrong, or null; `argument` is the variable.
RT_CALL const char* rt_check_equal(const rt_module& module, const rt_checkpoint& file,
                                   const char*& argument) {
  const char* data = file.bytes + 8 + file.header;
  for (size_t k = 0; k < module.state_count; ++k) {
    const rt_state state = rt_state_at(module, k);
    if (state.lead == rt_settable || state.lead == k) continue;
    if (memcmp(data + file.place[k], data + file.place[state.lead], rt_state_bytes(state)) == 0) continue;
    argument = state.name;
    return "the values in the file differ from those of a variable that it always equals";
  }
  return nullptr;
}
// Everything is checked before the first variable changes.
RT_CALL int32_t rt_load_state(const rt_module& module, void* workspace, const char* path) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!path) return rt_fail(header, COHORT_NULL_ARGUMENT, "load", "path", nullptr, 0, 0);
  rt_checkpoint file = {nullptr, nullptr, 0, 0, nullptr};
  file.place = static_cast<uint64_t*>(malloc((module.state_count + 1) * sizeof(uint64_t)));
  int32_t status = COHORT_OK;
  errno = 0;
  if (!file.place || !rt_read_file(path, file)) {
    status = rt_fail(header, COHORT_IO_ERROR, "load", "path", "the file cannot be read", 0, errno);
  } else {
    for (size_t k = 0; k < module.state_count; ++k) file.place[k] = rt_zeros;
    const char* argument = nullptr;
    const char* wrong = rt_read_header(module, file, argument);
    if (!wrong) wrong = rt_check_equal(module, file, argument);
    if (wrong) {
      status = rt_fail(header, COHORT_FILE_MISMATCH, "load", argument, wrong, 0, 0);
    }
  }
  for (size_t k = 0; status == COHORT_OK && k < module.state_count; ++k) {
    unsigned char* data = reinterpret_cast<unsigned char*>(file.bytes) + 8 + file.header + file.place[k];
    rt_copy_state(rt_state_at(module, k), workspace, data, true);
  }
  free(file.bytes);
  free(file.text);
  free(file.place);
  return status;
}

}  // namespace cohort_rt
