// Counts what a piece of code takes from the heap, also by malloc (Eigen's way): include it in exactly one source file
// of a test program. Built with sanitizers, which bring their own malloc, only operator new is counted.
#pragma once

#include <cstdlib>
#include <new>

namespace escapement::testing {
inline thread_local long allocations = 0;
inline thread_local double allocated_bytes = 0;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  ++escapement::testing::allocations;
  escapement::testing::allocated_bytes += static_cast<double>(size);
  return __libc_malloc(size);
}
#else
void* operator new(std::size_t size) {
  ++escapement::testing::allocations;
  escapement::testing::allocated_bytes += static_cast<double>(size);
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
#endif
