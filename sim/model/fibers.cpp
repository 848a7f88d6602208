#include "sim/model/fibers.hpp"

#include <new>
#include <utility>

#include <boost/context/fiber.hpp>
#include <sys/mman.h>

namespace ringcast {

struct Fibers::Fiber {
  std::size_t index;
  Fiber* next_ready = nullptr;
  boost::context::fiber own = {};        // while it does not run
  boost::context::fiber scheduler = {};  // while it does
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
  [[nodiscard]] boost::context::stack_context at(std::size_t index) const {
    boost::context::stack_context stack;
    stack.size = stack_size;
    stack.sp = static_cast<std::byte*>(memory) + (index + 1) * stack_size;  // stacks grow downwards
    return stack;
  }

  std::size_t size;
  void* memory;
};

namespace {
/// Leaves a fiber's stack to Stacks.
struct KeptStack {
  static void deallocate(boost::context::stack_context& /*stack*/) {}
};
}  // namespace

Fibers::Fibers(std::size_t count) : stacks_{std::make_unique<Stacks>(count)} {
  fibers_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    fibers_.push_back(std::make_unique<Fiber>(Fiber{i}));
  }
}

Fibers::~Fibers() = default;

void Fibers::start(std::size_t index, std::function<void()> body) {
  Fiber& fiber = *fibers_[index];
  const auto run = [&fiber, body = std::move(body)](boost::context::fiber&& scheduler) {
    fiber.scheduler = std::move(scheduler);
    body();
    fiber.has_ended = true;
    return std::move(fiber.scheduler);
  };
  const boost::context::stack_context stack = stacks_->at(index);
  fiber.own = boost::context::fiber{std::allocator_arg,
                                    boost::context::preallocated{stack.sp, stack.size, stack},
                                    KeptStack{}, run};
  wake(index);
}

void Fibers::run_ready() {
  while (first_ready_ != nullptr) {
    Fiber& fiber = *first_ready_;
    first_ready_ = std::exchange(fiber.next_ready, nullptr);
    current_ = fiber.index;
    fiber.is_ready = false;
    fiber.own = std::move(fiber.own).resume();
    ended_ += fiber.has_ended ? 1U : 0U;
  }
}

void Fibers::block() {
  Fiber& fiber = *fibers_[current_];
  fiber.scheduler = std::move(fiber.scheduler).resume();
}

void Fibers::wake(std::size_t index) noexcept {
  Fiber& fiber = *fibers_[index];
  if (fiber.is_ready || fiber.has_ended) return;
  fiber.is_ready = true;
  (first_ready_ == nullptr ? first_ready_ : last_ready_->next_ready) = &fiber;
  last_ready_ = &fiber;
}

}  // namespace ringcast
