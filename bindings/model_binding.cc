// The engine and its models.

#include <emscripten/bind.h>

#include <cstdint>
#include <string>

#include "bindings/handles.h"
#include "tasks/describe.h"
#include "tasks/warm_up.h"

namespace pocketbert {
namespace {

Handle CreateEngine(size_t threads, size_t max_batch_tokens) {
  return HandOver<Engine>(threads, max_batch_tokens);
}

void WarmUpEngine(Handle engine) { WarmUp(&At<Engine>(engine).pool); }

Result<Handle> Open(Engine& engine, ByteBuffer& file, std::string name) {
  PB_ASSIGN_OR_RETURN(TensorFile tensors,
                      TensorFile::FromBytes(std::move(name), std::move(file.block)));
  PB_ASSIGN_OR_RETURN(Model model, Model::Open(std::move(tensors)));
  PB_ASSIGN_OR_RETURN(TaskSession session,
                      OpenTaskSession(model, engine.max_batch_tokens, &engine.pool));
  return HandOver<OpenModel>(std::move(model), std::move(session));
}

// Takes the buffer's memory, also on failure.
NumberReply OpenModelFile(Handle engine, Handle file, const std::string& name) {
  return ReplyWith<NumberReply>(Open(At<Engine>(engine), At<ByteBuffer>(file), name),
                                std::identity());
}

std::string DescribeOpenModel(Handle model) {
  const OpenModel& open = At<OpenModel>(model);
  return DescribeModel(open.model, open.session);
}

}  // namespace

EMSCRIPTEN_BINDINGS(model) {
  using emscripten::function;

  function("createEngine", &CreateEngine);
  function("warmUp", &WarmUpEngine);

  function("openModel", &OpenModelFile);
  function("describeModel", &DescribeOpenModel);
}

}  // namespace pocketbert
