#pragma once
// The heads that a checkpoint may bring along: which tasks its architecture is for, and what its
// family calls the tensors.

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "model/head_config.h"
#include "model/hf_config.h"

namespace pocketbert {

// What a checkpoint of these architectures may have heads for; the tensors decide.
std::vector<HeadTask> CheckpointHeadTasks(const HfConfig& config);

// The checkpoint's head for `task` with `outputs` outputs; its names are all "" if the family has
// none. The labels of kClassify and kTag are those of `config`; if it lists none, LABEL_0, LABEL_1,
// …. An error if their numbers differ.
Result<HeadSpec> CheckpointHead(const HfConfig& config, size_t outputs,
                                HeadTask task = HeadTask::kClassify);

}  // namespace pocketbert
