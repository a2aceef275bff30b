// Result<T>: a value or an Error, for everything inside Etzel that can fail. No exceptions cross a folder.
// VkResult is made from ErrorCode in icd/ only.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace etzel {

enum class ErrorCode {
  OutOfHostMemory,
  OutOfDeviceMemory,
  InvalidShader,  ///< the module breaks a rule of SPIR-V or of its Vulkan environment
  Unsupported,    ///< valid input that needs a feature which Etzel does not advertise
  DeviceLost,
  Io,
  InvalidArgument,
};

struct [[nodiscard]] Error {
  ErrorCode code;
  std::string message;  ///< one sentence for a person: what, and where
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace etzel

/// Returns the error of `expr` from the enclosing function, if it has one.
#define ETZEL_TRY(expr)                                 \
  do {                                                  \
    auto&& etzelTryResult = (expr);                     \
    if (!etzelTryResult) return etzelTryResult.error(); \
  } while (0)
