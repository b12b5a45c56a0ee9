#include "tests/bench/onnxruntime_session.h"

#include <stdexcept>

namespace bench {
namespace {

const OrtApi& api() {
  static const OrtApi* const functions = [] {
    const OrtApi* found = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    if (!found) throw std::runtime_error("onnxruntime: the library is older than its header");
    return found;
  }();
  return *functions;
}

void check(OrtStatus* status) {
  if (!status) return;
  std::string message = api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  throw std::runtime_error("onnxruntime: " + message);
}

// What an OrtApi function makes, with the function that releases it.
template <class T, class Make>
std::shared_ptr<T> owned(void (*release)(T*), Make make) {
  T* made = nullptr;
  check(make(&made));
  return {made, release};
}

template <class T>
OrtTensor tensor(const std::vector<T>& values, const std::vector<int64_t>& shape, ONNXTensorElementDataType type) {
  static const auto memory = owned<OrtMemoryInfo>(api().ReleaseMemoryInfo, [](OrtMemoryInfo** made) {
    return api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, made);
  });
  static T nothing;  // the library refuses a null pointer, also where there are no values
  void* data = values.empty() ? &nothing : const_cast<T*>(values.data());  // inputs are only read
  return owned<OrtValue>(api().ReleaseValue, [&](OrtValue** made) {
    return api().CreateTensorWithDataAsOrtValue(memory.get(), data, values.size() * sizeof(T), shape.data(),
                                                shape.size(), type, made);
  });
}

}  // namespace

OrtTensor tensor_of(const std::vector<float>& values, const std::vector<int64_t>& shape) {
  return tensor(values, shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
}
OrtTensor tensor_of(const std::vector<int64_t>& values, const std::vector<int64_t>& shape) {
  return tensor(values, shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
}

template <class T>
std::vector<T> values_of(const OrtTensor& tensor) {
  void* data = nullptr;
  check(api().GetTensorMutableData(tensor.get(), &data));
  auto shape = owned<OrtTensorTypeAndShapeInfo>(
      api().ReleaseTensorTypeAndShapeInfo,
      [&](OrtTensorTypeAndShapeInfo** made) { return api().GetTensorTypeAndShape(tensor.get(), made); });
  size_t count = 0;
  check(api().GetTensorShapeElementCount(shape.get(), &count));
  return {static_cast<const T*>(data), static_cast<const T*>(data) + count};
}
template std::vector<float> values_of(const OrtTensor&);
template std::vector<int64_t> values_of(const OrtTensor&);

Session::Session(const Network& network, int threads) : inputs_(network.inputs), outputs_(network.outputs) {
  static const auto environment = owned<OrtEnv>(
      api().ReleaseEnv, [](OrtEnv** made) { return api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "heed bench", made); });
  auto options = owned<OrtSessionOptions>(api().ReleaseSessionOptions,
                                          [](OrtSessionOptions** made) { return api().CreateSessionOptions(made); });
  check(api().SetIntraOpNumThreads(options.get(), threads));
  check(api().SetInterOpNumThreads(options.get(), 1));
  check(api().SetSessionExecutionMode(options.get(), ORT_SEQUENTIAL));
  check(api().SetSessionGraphOptimizationLevel(options.get(), ORT_ENABLE_ALL));
  // By default the threads wait in a loop ("spin") for about 50 ms after a call, which is half the next process's turn
  // of 0.1 s. With this option they sleep when a call ends. Forward rows take 1.00 to 1.01 of their time, and decoding
  // on two threads 0.77, because the threads of one network no longer compete with those of the other. Without any
  // spinning the rows take 1.01 to 1.10 of their time.
  check(api().AddSessionConfigEntry(options.get(), "session.force_spinning_stop", "1"));
  session_ = owned<OrtSession>(api().ReleaseSession, [&](OrtSession** made) {
    return api().CreateSessionFromArray(environment.get(), network.model.data(), network.model.size(), options.get(),
                                        made);
  });
}

std::vector<OrtTensor> Session::operator()(const std::vector<OrtTensor>& inputs) const {
  std::vector<const char*> in, out;
  for (const std::string& name : inputs_) in.push_back(name.c_str());
  for (const std::string& name : outputs_) out.push_back(name.c_str());
  std::vector<const OrtValue*> given;
  for (const OrtTensor& input : inputs) given.push_back(input.get());
  std::vector<OrtValue*> made(out.size());
  check(api().Run(session_.get(), nullptr, in.data(), given.data(), in.size(), out.data(), out.size(), made.data()));
  std::vector<OrtTensor> results;
  for (OrtValue* value : made) results.emplace_back(value, api().ReleaseValue);
  return results;
}

GreedySearch::GreedySearch(const Sizes& sizes, const Weights& weights, int threads)
    : sizes_(sizes),
      read_source_(source_network(sizes, weights), threads),
      step_(step_network(sizes, weights), threads) {}

std::vector<int64_t> GreedySearch::operator()(const std::vector<int64_t>& source, int64_t start, int64_t T) const {
  int64_t B = sizes_[0], H = sizes_[4];
  std::vector<OrtTensor> of_source = read_source_({tensor_of(source, {B, sizes_[1]})});
  std::vector<int64_t> words(static_cast<size_t>(B), start), all;
  std::vector<OrtTensor> before(of_source.size(), tensor_of(std::vector<float>(), {B, H, 0, sizes_[3] / H}));
  for (int64_t t = 0; t < T; ++t) {
    std::vector<int64_t> place{t};
    std::vector<OrtTensor> inputs{tensor_of(words, {B}), tensor_of(place, {1})};
    inputs.insert(inputs.end(), of_source.begin(), of_source.end());
    inputs.insert(inputs.end(), before.begin(), before.end());
    std::vector<OrtTensor> outputs = step_(inputs);
    words = values_of<int64_t>(outputs[0]);
    before.assign(outputs.begin() + 1, outputs.end());
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace bench
