#pragma once
// What a model or tokenizer tells of itself, as JSON for the TypeScript layer (`ModelInfo` and
// `TokenizerInfo` of web/src/core/types.ts; same keys).

#include <string>

#include "model/model.h"
#include "tasks/task_session.h"
#include "text/tokenizer.h"

namespace pocketbert {

std::string DescribeModel(const Model& model, const TaskSession& session);
std::string DescribeTokenizer(const Tokenizer& tokenizer);

}  // namespace pocketbert
