#include "sim/model/fibers.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>
#include <ucontext.h>

#include "engine/numbers/error.hpp"

namespace ringcast {

struct Fibers::Fiber {
  ucontext_t own{};
  ucontext_t scheduler{};
  std::function<void()> body;
  bool is_ready = false;
  bool has_ended = false;
};

/// All stacks in one mapping: the kernel allows 65,530 of them.
struct Fibers::Stacks {
  explicit Stacks(std::size_t count) : size{count * stack_size} {
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::bad_alloc{};
    }
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() { ::munmap(memory, size); }
  [[nodiscard]] std::byte* at(std::size_t index) const {
    return static_cast<std::byte*>(memory) + index * stack_size;
  }

  std::size_t size;
  void* memory;
};

Fibers::Fibers(std::size_t count) : stacks_{std::make_unique<Stacks>(count)} {
  fibers_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    fibers_.push_back(std::make_unique<Fiber>());
  }
}

Fibers::~Fibers() = default;

void Fibers::start(std::size_t index, std::function<void()> body) {
  Fiber& fiber = *fibers_[index];
  fiber.body = std::move(body);
  ::getcontext(&fiber.own);
  fiber.own.uc_stack.ss_sp = stacks_->at(index);
  fiber.own.uc_stack.ss_size = stack_size;
  fiber.own.uc_link = &fiber.scheduler;
  // makecontext passes ints only.
  const auto self = reinterpret_cast<std::uintptr_t>(&fiber);
  ::makecontext(&fiber.own, reinterpret_cast<void (*)()>(&Fibers::enter), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32U));
  wake(index);
}

void Fibers::enter(unsigned low, unsigned high) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* const fiber = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low) |
                                               static_cast<std::uintptr_t>(high) << 32U);
  fiber->body();
  fiber->body = nullptr;
  fiber->has_ended = true;
}

void Fibers::run_ready() {
  while (!ready_.empty()) {
    current_ = ready_.front();
    ready_.pop_front();
    Fiber& fiber = *fibers_[current_];
    fiber.is_ready = false;
    ::swapcontext(&fiber.scheduler, &fiber.own);
    ended_ += fiber.has_ended ? 1U : 0U;
  }
}

void Fibers::block() {
  Fiber& fiber = *fibers_[current_];
  ::swapcontext(&fiber.own, &fiber.scheduler);
}

void Fibers::wake(std::size_t index) {
  Fiber& fiber = *fibers_[index];
  if (!fiber.is_ready && !fiber.has_ended) {
    fiber.is_ready = true;
    ready_.push_back(index);
  }
}

}  // namespace ringcast
