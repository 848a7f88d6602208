#include "tests/real/gpu/fake_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"

namespace ringcast::testing {
namespace {

using Clock = std::chrono::steady_clock;

/// A file in memory, mapped twice: at the address for the program, without access, and at one where
/// it can be read.
class DeviceAllocation {
 public:
  DeviceAllocation(int file, std::size_t size)
      : file_{file}, size_{size}, address_{map(PROT_NONE)}, bytes_{map(PROT_READ | PROT_WRITE)} {}
  DeviceAllocation(const DeviceAllocation&) = delete;
  DeviceAllocation& operator=(const DeviceAllocation&) = delete;
  ~DeviceAllocation() {
    ::munmap(address_, size_);
    ::munmap(bytes_, size_);
    ::close(file_);
  }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::byte* address() const { return address_; }
  [[nodiscard]] std::byte* bytes() const { return bytes_; }

 private:
  [[nodiscard]] std::byte* map(int protection) const {
    void* const place = ::mmap(nullptr, size_, protection, MAP_SHARED, file_, 0);
    if (place == MAP_FAILED) {
      throw TransportError{fmt::format("mmap: {}", std::strerror(errno))};
    }
    return static_cast<std::byte*>(place);
  }

  int file_;
  std::size_t size_;
  std::byte* address_;
  std::byte* bytes_;
};

/// All device memory of this process, by its address.
class Allocations {
 public:
  OwnedBytes add(int file, std::size_t size) {
    auto allocation = std::make_unique<DeviceAllocation>(file, size);
    std::byte* const address = allocation->address();
    const std::lock_guard lock{mutex_};
    all_.emplace(address, std::move(allocation));
    return {address, [this](std::byte* gone) {
              const std::lock_guard again{mutex_};
              all_.erase(gone);
            }};
  }
  /// Null for memory that is not of a device.
  [[nodiscard]] const DeviceAllocation* find(const std::byte* address) {
    const std::lock_guard lock{mutex_};
    auto behind = all_.upper_bound(address);
    if (behind == all_.begin()) return nullptr;
    const DeviceAllocation& allocation = *std::prev(behind)->second;
    return address < allocation.address() + allocation.size() ? &allocation : nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::unique_ptr<DeviceAllocation>> all_;
};

Allocations& allocations() {
  static Allocations all;
  return all;
}

/// The contents of a SharedHandle.
struct Origin {
  pid_t process;
  int file;
  std::size_t size;
};

}  // namespace

std::byte* reach(const std::byte* address) {
  const DeviceAllocation* const allocation = allocations().find(address);
  return allocation == nullptr ? const_cast<std::byte*>(address)
                               : allocation->bytes() + (address - allocation->address());
}

class FakeDevice::Stream final : public DeviceStream {
 public:
  explicit Stream(FakeDevice& device) : device_{&device} { device_->streams_.push_back(this); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() override {
    while (!queue_.empty()) {
      work();
    }
    std::erase(device_->streams_, this);
  }

  void copy(std::byte* to, const std::byte* from, Bytes size) override {
    queue([=] { std::copy_n(reach(from), size.count(), reach(to)); });
  }
  void clear(std::byte* at, Bytes size) override {
    queue([=] { std::fill_n(reach(at), size.count(), std::byte{0}); });
  }
  void accumulate(Reduction reduction, std::byte* into, const std::byte* from,
                  Bytes size) override {
    queue([=] {
      accumulate_bytes(reduction, {reach(into), size.count()}, {reach(from), size.count()});
    });
  }
  void finish(Reduction reduction, std::byte* into, Bytes size, int ranks) override {
    queue([=] { finish_bytes(reduction, {reach(into), size.count()}, ranks); });
  }
  void spin(Seconds work, const volatile int* stop) override {
    idle_from_ = std::max(idle_from_, Clock::now()) + std::chrono::ceil<Clock::duration>(work);
    queue_.emplace_back([end = idle_from_, stop] { return Clock::now() >= end || *stop != 0; });
    ++queued_;
  }
  [[nodiscard]] std::unique_ptr<InFlight> mark() override;

  [[nodiscard]] bool has_run(std::size_t count) const { return queued_ - queue_.size() >= count; }
  [[nodiscard]] bool has_work() const { return !queue_.empty(); }
  /// Runs the next piece of work, or checks whether it has ended.
  void work() {
    if (!queue_.empty() && queue_.front()()) {
      queue_.pop_front();
    }
  }

  FakeDevice& device() { return *device_; }

 private:
  template <typename Action>
  void queue(Action action) {
    queue_.emplace_back([action] {
      action();
      return true;
    });
    ++queued_;
  }

  FakeDevice* device_;
  std::deque<std::function<bool()>> queue_;
  std::size_t queued_ = 0;
  Clock::time_point idle_from_{};
};

class FakeDevice::Mark final : public InFlight {
 public:
  Mark(Stream& stream, std::size_t count) : stream_{&stream}, count_{count} {}
  [[nodiscard]] bool done() override {
    if (!is_done_ && !stream_->has_run(count_)) {
      stream_->device().work();
    }
    is_done_ = is_done_ || stream_->has_run(count_);
    return is_done_;
  }

 private:
  Stream* stream_;
  std::size_t count_;
  bool is_done_ = false;  // the stream may end before this
};

std::unique_ptr<InFlight> FakeDevice::Stream::mark() {
  return std::make_unique<Mark>(*this, queued_);
}

void FakeDevice::work() {
  constexpr unsigned most_pieces = 3;
  for (auto pieces = random_() % (most_pieces + 1); pieces > 0; --pieces) {
    const auto busy = std::ranges::count_if(streams_, &Stream::has_work);
    if (busy == 0) return;
    auto drawn = static_cast<std::ptrdiff_t>(random_() % static_cast<std::size_t>(busy));
    const auto is_drawn = [&](const Stream* stream) { return stream->has_work() && drawn-- == 0; };
    (*std::ranges::find_if(streams_, is_drawn))->work();
  }
}

OwnedBytes FakeDevice::allocate(Bytes size) {
  const int file = ::memfd_create("fake device", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(size.count())) != 0) {
    throw TransportError{fmt::format("memfd_create: {}", std::strerror(errno))};
  }
  OwnedBytes memory = allocations().add(file, size.count());
  constexpr std::size_t most_dirt = 1U << 16U;  // all of it would take the pages of all of it
  std::memset(reach(memory.get()), 0xab, std::min<std::size_t>(size.count(), most_dirt));
  return memory;
}

OwnedBytes FakeDevice::allocate_pinned(Bytes size) {
  return {new std::byte[size.count()], [](std::byte* bytes) { delete[] bytes; }};
}

std::unique_ptr<DeviceStream> FakeDevice::make_stream() {
  return std::make_unique<Stream>(*this);
}

SharedHandle FakeDevice::share(std::byte* allocation) {
  const DeviceAllocation* const found = allocations().find(allocation);
  expect(found != nullptr && found->address() == allocation, "no allocation is shared");
  const Origin origin{::getpid(), found->file(), found->size()};
  SharedHandle handle;
  std::memcpy(handle.bytes.data(), &origin, sizeof(origin));
  return handle;
}

OwnedBytes FakeDevice::open(const SharedHandle& handle) {
  if (!opens_) throw TransportError{"fake: opens nothing"};
  Origin origin{};
  std::memcpy(&origin, handle.bytes.data(), sizeof(origin));
  const std::string path = fmt::format("/proc/{}/fd/{}", origin.process, origin.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    throw TransportError{fmt::format("{}: {}", path, std::strerror(errno))};
  }
  return allocations().add(file, origin.size);
}

}  // namespace ringcast::testing
