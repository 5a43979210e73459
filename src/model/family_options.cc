#include "model/family_options.h"

#include <string_view>

#include "nn/position_tables.h"

namespace pocketbert {
namespace {

// Angles are computed for positions below this.
constexpr size_t kMaxRotaryPositions = size_t{1} << 20;
constexpr double kMaxTheta = 1e12;

// A key that must have one value, in one family or in all.
struct FixedKey {
  const char* key;
  bool value;
  bool any_family = true;
  ModelFamily family = ModelFamily::kBert;
};
constexpr FixedKey kFixedKeys[] = {
    {"is_decoder", false},
    {"add_cross_attention", false},
    {"is_encoder_decoder", false},
    {"relative_attention", true, false, ModelFamily::kDeberta},
    {"prenorm", false, false, ModelFamily::kNomic},
    {"causal", false, false, ModelFamily::kNomic},
    {"parallel_block", false, false, ModelFamily::kNomic},
    {"use_rms_norm", false, false, ModelFamily::kNomic},
    {"rotary_emb_interleaved", false, false, ModelFamily::kNomic},
    {"scale_attn_weights", true, false, ModelFamily::kNomic},
    {"scale_attn_by_inverse_layer_idx", false, false, ModelFamily::kNomic},
    {"logn_attention_scale", false, false, ModelFamily::kGte},
};

// Keys that must be absent, null, 0 or empty.
struct EmptyKey {
  const char* key;
  const char* why;
};
constexpr EmptyKey kEmptyKeys[] = {
    {"pruned_heads", "pruned attention heads are not supported"},
    {"quantization_config", "expected a checkpoint of F32, F16 or BF16 weights"},
    {"conv_kernel_size", "DeBERTa's convolution layer is not supported"},
    {"moe_every_n_layers", "mixtures of experts are not supported"},
    {"rotary_emb_scale_base", "scaled rotary positions (XPos) are not supported"},
    {"rotary_scaling_factor", "scaled rotary positions are not supported"},
};

ErrorBox Unsupported(Json config, std::string_view key, std::string_view expected) {
  return UnsupportedError(Message(config.Path()) + ": " + key + " is " +
                          config.FindOrNull(key).Describe() + ", expected " + expected);
}

bool IsEmpty(Json value) {
  if (value.is_object() || value.is_array()) return value.size() == 0;
  if (value.is_number()) return value.AsDouble().value() == 0;
  return value.is_null();
}

Result<float> ReadTheta(Json json, const char* key, float fallback) {
  PB_ASSIGN_OR_RETURN(const double theta, json.DoubleOr(key, static_cast<double>(fallback)));
  if (!(theta >= 1 && theta <= kMaxTheta)) {
    return json.FindOrNull(key).ErrorExpected("a number in 1 … 1e12");
  }
  return static_cast<float>(theta);
}

Status ReadFactor(Json json, float& factor) {
  PB_ASSIGN_OR_RETURN(const double value, json.DoubleOr("factor", 1));
  if (!(value >= 1 && value <= 1e6)) {
    return json.FindOrNull("factor").ErrorExpected("a number in 1 … 1000000");
  }
  factor = static_cast<float>(value);
  return Done{};
}

// transformers 5's rope_parameters: {"rope_type": "default" or "linear", "rope_theta", "factor"}.
Status ReadRope(Json rope, float& theta, float& factor) {
  if (rope.is_null()) return Done{};
  PB_ASSIGN_OR_RETURN(const std::string_view type, rope.StringOr("rope_type", "default"));
  if (type != "default" && type != "linear") {
    return Unsupported(rope, "rope_type", "default or linear");
  }
  PB_ASSIGN_OR_RETURN(theta, ReadTheta(rope, "rope_theta", theta));
  return type == "linear" ? ReadFactor(rope, factor) : Status(Done{});
}

Status CheckRotary(Json config, EncoderConfig& encoder) {
  encoder.relative = RelativePositions::kRotary;
  encoder.position_table = false;
  if (encoder.head_size() % 2 != 0) {
    return FormatError(Message(config.Path()) + ": the size of an attention head is " +
                       encoder.head_size() + ", expected an even number for rotary positions");
  }
  if (encoder.max_positions > kMaxRotaryPositions) {
    return FormatError(Message(config.Path()) + ": " + encoder.max_positions +
                       " positions, expected at most " + kMaxRotaryPositions);
  }
  return Done{};
}

// Positions from pad_token_id + 1 on; the padding token itself stands at pad_token_id.
Status ReadPaddedPositions(Json config, EncoderConfig& encoder) {
  PB_ASSIGN_OR_RETURN(const int64_t pad, config.IntOr("pad_token_id", 1, 0, INT32_MAX - 1));
  encoder.padding_id = static_cast<int32_t>(pad);
  encoder.first_position = static_cast<size_t>(pad) + 1;
  if (encoder.first_position < encoder.max_positions) return Done{};
  return FormatError(Message(config.Path()) + ": max_position_embeddings is " +
                     encoder.max_positions + ", expected more than pad_token_id + 1, which is " +
                     encoder.first_position);
}

Status ReadMpnet(Json config, EncoderConfig& encoder) {
  PB_RETURN_IF_ERROR(ReadPaddedPositions(config, encoder));
  encoder.relative = RelativePositions::kBias;
  PB_ASSIGN_OR_RETURN(const int64_t rows,
                      config.IntOr("relative_attention_num_buckets", 32, 32, 1 << 20));
  encoder.relative_bias_rows = static_cast<size_t>(rows);
  return Done{};
}

Status ReadAlbert(Json config, EncoderConfig& encoder) {
  PB_ASSIGN_OR_RETURN(const int64_t groups,
                      config.IntOr("num_hidden_groups", 1, 1, static_cast<int64_t>(encoder.layers)));
  PB_ASSIGN_OR_RETURN(const int64_t inner, config.IntOr("inner_group_num", 1));
  if (inner != 1) return Unsupported(config, "inner_group_num", "1");
  encoder.layer_sets = static_cast<size_t>(groups);
  if (encoder.layers % encoder.layer_sets == 0) return Done{};
  return Unsupported(config, "num_hidden_groups", "a divisor of num_hidden_layers");
}

// pos_att_type is a list, or one text with | between its items.
Status ReadPositionKinds(Json config, EncoderConfig& encoder) {
  const auto add = [&](std::string_view kind) -> Status {
    if (kind == "c2p") {
      encoder.content_to_position = true;
    } else if (kind == "p2c") {
      encoder.position_to_content = true;
    } else if (!kind.empty()) {
      return Unsupported(config, "pos_att_type", "c2p, p2c or both");
    }
    return Done{};
  };
  const Json kinds = config.FindOrNull("pos_att_type");
  for (const Json item : kinds.Items()) {
    PB_ASSIGN_OR_RETURN(const std::string_view kind, item.AsString());
    PB_RETURN_IF_ERROR(add(kind));
  }
  if (kinds.is_null() || kinds.is_array()) return Done{};
  PB_ASSIGN_OR_RETURN(std::string_view rest, kinds.AsString());
  while (!rest.empty()) {
    const size_t bar = rest.find('|');
    PB_RETURN_IF_ERROR(add(rest.substr(0, bar)));
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return Done{};
}

Status ReadDistances(Json config, EncoderConfig& encoder) {
  constexpr int64_t kMost = 1 << 20;
  PB_ASSIGN_OR_RETURN(const int64_t buckets, config.IntOr("position_buckets", -1, -1, kMost));
  PB_ASSIGN_OR_RETURN(const int64_t most, config.IntOr("max_relative_positions", -1, -1, kMost));
  encoder.relative_buckets = buckets < 1 ? 0 : static_cast<size_t>(buckets);
  encoder.relative_max_distance =
      most < 1 ? encoder.max_positions : static_cast<size_t>(most);
  if (encoder.relative_buckets == 1 ||
      (encoder.relative_buckets > 1 &&
       encoder.relative_max_distance <= encoder.relative_buckets / 2 + 1)) {
    return FormatError(Message(config.Path()) + ": position_buckets is " + buckets +
                       ", expected at least 2, and half of it below the largest distance, which "
                       "is " + encoder.relative_max_distance);
  }
  return Done{};
}

Status ReadDeberta(Json config, EncoderConfig& encoder) {
  encoder.relative = RelativePositions::kDisentangled;
  const auto hidden = static_cast<int64_t>(encoder.hidden_size);
  PB_ASSIGN_OR_RETURN(const int64_t width, config.IntOr("embedding_size", hidden));
  if (width != hidden) return Unsupported(config, "embedding_size", "that of hidden_size");
  const auto head_size = static_cast<int64_t>(encoder.head_size());
  PB_ASSIGN_OR_RETURN(const int64_t head, config.IntOr("attention_head_size", head_size));
  if (head != head_size) {
    return Unsupported(config, "attention_head_size", "hidden_size / num_attention_heads");
  }
  PB_ASSIGN_OR_RETURN(const std::string_view norm, config.StringOr("norm_rel_ebd", "none"));
  if (norm != "none" && norm != "layer_norm") {
    return Unsupported(config, "norm_rel_ebd", "none or layer_norm");
  }
  encoder.relative_norm = norm == "layer_norm";
  PB_ASSIGN_OR_RETURN(const bool relative, config.BoolOr("relative_attention", false));
  if (!relative) return Unsupported(config, "relative_attention", "true");
  PB_ASSIGN_OR_RETURN(encoder.position_table, config.BoolOr("position_biased_input", true));
  PB_ASSIGN_OR_RETURN(encoder.share_position_projections, config.BoolOr("share_att_key", false));
  PB_RETURN_IF_ERROR(ReadPositionKinds(config, encoder));
  return ReadDistances(config, encoder);
}

// transformers 5 lists the kind of every layer.
Status CheckLayerTypes(Json config, const EncoderConfig& encoder) {
  const Json types = config.FindOrNull("layer_types");
  size_t layer = 0;
  for (const Json item : types.Items()) {
    PB_ASSIGN_OR_RETURN(const std::string_view type, item.AsString());
    if (type != (encoder.HasWindow(layer++) ? "sliding_attention" : "full_attention")) {
      return UnsupportedError(Message(item.Path()) +
                              " is not what global_attn_every_n_layers says");
    }
  }
  return Done{};
}

Status ReadModernBert(Json config, EncoderConfig& encoder) {
  encoder.pre_norm = encoder.gated = true;
  encoder.first_attention_norm = false;
  PB_ASSIGN_OR_RETURN(encoder.norm_bias, config.BoolOr("norm_bias", false));
  PB_ASSIGN_OR_RETURN(encoder.attention_bias, config.BoolOr("attention_bias", false));
  PB_ASSIGN_OR_RETURN(encoder.intermediate_bias, config.BoolOr("mlp_bias", false));
  encoder.attention_output_bias = encoder.attention_bias;
  encoder.output_bias = encoder.intermediate_bias;
  PB_ASSIGN_OR_RETURN(const int64_t every, config.IntOr("global_attn_every_n_layers", 3, 1, 1000));
  PB_ASSIGN_OR_RETURN(const int64_t window, config.IntOr("local_attention", 128, 2, 1 << 20));
  encoder.global_every = static_cast<size_t>(every);
  encoder.window_reach = static_cast<size_t>(window) / 2;
  PB_RETURN_IF_ERROR(CheckLayerTypes(config, encoder));
  PB_ASSIGN_OR_RETURN(encoder.rotary_theta, ReadTheta(config, "global_rope_theta", 160000));
  const float local = config.Find("local_rope_theta") ? encoder.rotary_theta : 10000;
  PB_ASSIGN_OR_RETURN(encoder.rotary_local_theta, ReadTheta(config, "local_rope_theta", local));
  const Json rope = config.FindOrNull("rope_parameters");
  float local_factor = 1;
  PB_RETURN_IF_ERROR(
      ReadRope(rope.FindOrNull("full_attention"), encoder.rotary_theta, encoder.rotary_factor));
  PB_RETURN_IF_ERROR(
      ReadRope(rope.FindOrNull("sliding_attention"), encoder.rotary_local_theta, local_factor));
  if (!IsEmpty(config.FindOrNull("rope_scaling")) || local_factor != encoder.rotary_factor) {
    return Unsupported(config, rope.is_null() ? "rope_scaling" : "rope_parameters",
                       "rotary positions without a scale");
  }
  return CheckRotary(config, encoder);
}

// "swiglu" of the public files is what transformers calls "silu" in a gated block.
Status ReadNomicActivation(Json config, EncoderConfig& encoder) {
  PB_ASSIGN_OR_RETURN(const std::string_view name, config.StringOr("activation_function", ""));
  if (name == "swiglu") {
    encoder.activation = Activation::kSilu;
  } else if (name == "geglu") {
    encoder.activation = Activation::kGelu;
  } else if (!name.empty()) {
    return Unsupported(config, "activation_function", "swiglu or geglu");
  }
  return Done{};
}

Status ReadNomic(Json config, EncoderConfig& encoder) {
  encoder.gated = true;
  const bool public_names = !config.FindOrNull("n_embd").is_null();
  if (public_names && config.FindOrNull("n_inner").is_null()) {
    encoder.intermediate_size = 4 * encoder.hidden_size;
  }
  PB_RETURN_IF_ERROR(ReadNomicActivation(config, encoder));
  PB_ASSIGN_OR_RETURN(encoder.attention_bias, config.BoolOr("qkv_proj_bias", public_names));
  PB_ASSIGN_OR_RETURN(encoder.intermediate_bias, config.BoolOr("mlp_fc1_bias", public_names));
  PB_ASSIGN_OR_RETURN(encoder.output_bias, config.BoolOr("mlp_fc2_bias", public_names));
  encoder.attention_output_bias = encoder.attention_bias;
  PB_ASSIGN_OR_RETURN(const double part,
                      config.DoubleOr("rotary_emb_fraction", public_names ? 0 : 1));
  if (part != 1) return Unsupported(config, "rotary_emb_fraction", "1");
  PB_ASSIGN_OR_RETURN(encoder.rotary_theta, ReadTheta(config, "rotary_emb_base", 10000));
  PB_RETURN_IF_ERROR(ReadRope(config.FindOrNull("rope_parameters"), encoder.rotary_theta,
                              encoder.rotary_factor));
  return CheckRotary(config, encoder);
}

// rope_scaling of model_type "new": NTK, angles of theta * factor, slowed by factor^(2 / head size).
Status ReadNtk(Json config, EncoderConfig& encoder) {
  const Json scaling = config.FindOrNull("rope_scaling");
  if (scaling.is_null()) return Done{};
  PB_ASSIGN_OR_RETURN(const std::string_view type, scaling.StringOr("type", ""));
  if (type != "ntk" || !scaling.FindOrNull("mixed_b").is_null()) {
    return Unsupported(config, "rope_scaling", "type ntk without mixed_b");
  }
  float factor = 1;
  PB_RETURN_IF_ERROR(ReadFactor(scaling, factor));
  encoder.rotary_theta *= factor;
  encoder.rotary_factor = NtkRotaryFactor(factor, encoder.head_size());
  return Done{};
}

Status ReadGte(Json config, EncoderConfig& encoder) {
  encoder.gated = true;
  encoder.intermediate_bias = false;
  PB_ASSIGN_OR_RETURN(const std::string_view positions,
                      config.StringOr("position_embedding_type", "rope"));
  if (positions != "rope") return Unsupported(config, "position_embedding_type", "\"rope\"");
  PB_ASSIGN_OR_RETURN(const std::string_view norm,
                      config.StringOr("layer_norm_type", "layer_norm"));
  if (norm != "layer_norm") return Unsupported(config, "layer_norm_type", "\"layer_norm\"");
  PB_ASSIGN_OR_RETURN(encoder.rotary_theta, ReadTheta(config, "rope_theta", 10000));
  PB_RETURN_IF_ERROR(ReadNtk(config, encoder));
  PB_RETURN_IF_ERROR(ReadRope(config.FindOrNull("rope_parameters"), encoder.rotary_theta,
                              encoder.rotary_factor));
  return CheckRotary(config, encoder);
}

}  // namespace

Status RefuseOtherNetworks(Json config, ModelFamily family) {
  for (const FixedKey& fixed : kFixedKeys) {
    if (!fixed.any_family && fixed.family != family) continue;
    PB_ASSIGN_OR_RETURN(const bool value, config.BoolOr(fixed.key, fixed.value));
    if (value != fixed.value) {
      return Unsupported(config, fixed.key, fixed.value ? "true" : "false");
    }
  }
  for (const EmptyKey& empty : kEmptyKeys) {
    const Json value = config.FindOrNull(empty.key);
    if (!IsEmpty(value)) {
      return UnsupportedError(Message(config.Path()) + ": " + empty.key + " is " +
                              value.Describe() + ": " + empty.why);
    }
  }
  if (family == ModelFamily::kGte) return Done{};  // has names of its own for its one kind
  PB_ASSIGN_OR_RETURN(const std::string_view positions,
                      config.StringOr("position_embedding_type", "absolute"));
  if (positions == "absolute") return Done{};
  return Unsupported(config, "position_embedding_type", "\"absolute\"");
}

Status ReadFamilyOptions(Json config, ModelFamily family, EncoderConfig& encoder) {
  switch (family) {
    case ModelFamily::kBert:
    case ModelFamily::kDistilBert:
    case ModelFamily::kElectra: return Done{};
    case ModelFamily::kRoberta: return ReadPaddedPositions(config, encoder);
    case ModelFamily::kMpnet: return ReadMpnet(config, encoder);
    case ModelFamily::kAlbert: return ReadAlbert(config, encoder);
    case ModelFamily::kDeberta: return ReadDeberta(config, encoder);
    case ModelFamily::kModernBert: return ReadModernBert(config, encoder);
    case ModelFamily::kNomic: return ReadNomic(config, encoder);
    case ModelFamily::kGte: return ReadGte(config, encoder);
  }
  PB_CHECK(false && "unknown family");
}

}  // namespace pocketbert
