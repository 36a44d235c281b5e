#include "math/program_registers.hpp"

#include <algorithm>

namespace escapement::inline math {

Register assign_registers(std::span<RegisterUse> code, Register first_result, Register count,
                          std::span<Register> keep) {
  std::vector<std::size_t> last_use(count, 0);
  for (std::size_t i = 0; i < code.size(); ++i)
    for (const Register r : code[i].reads) last_use[r] = i;
  for (const Register r : keep) last_use[r] = code.size();

  std::vector<Register> given(count), free;
  for (Register r = 0; r < first_result; ++r) given[r] = r;
  Register used = first_result;
  for (std::size_t i = 0; i < code.size(); ++i) {
    // an operand's register may take the result, since operands are read first
    for (Register& r : code[i].reads) {
      if (r >= first_result && last_use[r] == i) {
        free.push_back(given[r]);
        last_use[r] = code.size();  // once, though it may be read twice
      }
      r = given[r];
    }
    for (Register& r : code[i].writes) {
      if (free.empty()) free.push_back(used++);
      given[r] = free.back();
      free.pop_back();
      r = given[r];
    }
  }
  for (Register& r : keep) r = given[r];
  return used;
}

}  // namespace escapement
