# cohort_embed_text(TARGET SYMBOL FILE): the text of a file as the constant cohort::SYMBOL of TARGET.
include_guard()

function(cohort_embed_text target symbol file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(CONCAT content "#include <string_view>\nnamespace cohort {\nextern const std::string_view ${symbol};\n"
         "const std::string_view ${symbol} = R\"embedded(" "${text}" ")embedded\";\n}  // namespace cohort\n")
  set(generated ${PROJECT_BINARY_DIR}/generated/${symbol}.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${content}" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# cohort_embed_rules(TARGET): compiles the text of compiler/rules/*.rules into TARGET, so that nothing is looked up at
# run time. Editing a .rules file configures again.

function(cohort_embed_rules target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/rules/*.rules)
  list(SORT files)
  set(content "#include <string_view>\nnamespace cohort {\n")
  string(APPEND content "extern const std::string_view kRulesText;\nconst std::string_view kRulesText =")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(APPEND content "\n    R\"rules(${text})rules\"")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(APPEND content ";\n}  // namespace cohort\n")
  set(generated ${PROJECT_BINARY_DIR}/generated/rules_text.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${content}" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
