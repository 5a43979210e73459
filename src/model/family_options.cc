#include "model/family_options.h"

#include <string_view>

#include "base/json_fields.h"
#include "nn/position_tables.h"

namespace pocketbert {
namespace {

// Angles are computed for positions below this.
constexpr size_t kMaxRotaryPositions = size_t{1} << 20;
constexpr int64_t kMaxDistance = 1 << 20;

// A key that must have one value, in one family or in all.
struct FixedKey {
  const char* key;
  bool value;
  bool any_family = false;
  ModelFamily family = ModelFamily::kBert;
};
constexpr FixedKey kFixedKeys[] = {
    {"is_decoder", false, true},
    {"add_cross_attention", false, true},
    {"is_encoder_decoder", false, true},
    {"prenorm", false, false, ModelFamily::kNomic},
    {"causal", false, false, ModelFamily::kNomic},
    {"parallel_block", false, false, ModelFamily::kNomic},
    {"use_rms_norm", false, false, ModelFamily::kNomic},
    {"rotary_emb_interleaved", false, false, ModelFamily::kNomic},
    {"scale_attn_weights", true, false, ModelFamily::kNomic},
    {"scale_attn_by_inverse_layer_idx", false, false, ModelFamily::kNomic},
    {"logn_attention_scale", false, false, ModelFamily::kGte},
};

// Keys that must be absent, null, 0 or empty: pruned heads, quantized weights, DeBERTa's convolution
// layer, mixtures of experts, and nomic's scaled rotary positions are not supported.
constexpr const char* kEmptyKeys[] = {"pruned_heads",          "quantization_config",
                                      "conv_kernel_size",      "moe_every_n_layers",
                                      "rotary_emb_scale_base", "rotary_scaling_factor"};

bool IsEmpty(Json value) {
  if (value.is_object() || value.is_array()) return value.size() == 0;
  if (value.is_number()) return value.AsDouble().value() == 0;
  return value.is_null();
}

// The members of one object; the first fault is kept, and from then on all have their defaults.
struct Options {
  Json json;
  JsonFields fields;

  explicit Options(Json json) : json(json), fields(json) {}

  bool Has(const char* key) const { return !json.FindOrNull(key).is_null(); }
  // Nothing here computes another value of `key`.
  void Expect(bool met, const char* key, const char* expected) {
    if (!met && fields.ok()) fields.Fail(UnsupportedError(Unexpected(key, expected)));
  }
  // No other value of `key` makes sense. One that is absent has its default.
  void ExpectSound(bool met, const char* key, const char* expected) {
    if (!met && fields.ok()) fields.Fail(FormatError(Unexpected(key, expected)));
  }
  Message Unexpected(const char* key, const char* expected) const {
    return Message(json.Path()) + ": " + key + " is " + json.FindOrNull(key).Describe() +
           ", expected " + expected;
  }
  size_t Size(const char* key, int64_t fallback, int64_t min, int64_t max) {
    return static_cast<size_t>(fields.Int(key, fallback, min, max));
  }
  float Number(const char* key, float fallback, double max) {
    const double value = fields.Double(key, static_cast<double>(fallback));
    ExpectSound(value >= 1 && value <= max, key, "a number from 1 to 1e12 (a factor: to 1e6)");
    return static_cast<float>(value);
  }
  float Theta(const char* key, float fallback) { return Number(key, fallback, 1e12); }
  float Factor() { return Number("factor", 1, 1e6); }
};

// transformers 5's rope_parameters: {"rope_type": "default" or "linear", "rope_theta", "factor"}.
void ReadRope(Json rope, Options& options, float& theta, float& factor) {
  if (rope.is_null()) return;
  Options inner(rope);
  const std::string_view type = inner.fields.String("rope_type", "default");
  inner.Expect(type == "default" || type == "linear", "rope_type", "default or linear");
  theta = inner.Theta("rope_theta", theta);
  if (type == "linear") factor = inner.Factor();
  Status status = inner.fields.FinishOpen();
  if (!status.ok()) options.fields.Fail(std::move(status).TakeError());
}

void CheckRotary(Options& options, EncoderConfig& encoder) {
  encoder.relative = RelativePositions::kRotary;
  encoder.position_table = false;
  if (encoder.head_size() % 2 != 0) {
    options.fields.Fail(FormatError(Message(options.json.Path()) +
                                    ": the size of an attention head is " + encoder.head_size() +
                                    ", expected an even number for rotary positions"));
  }
  if (encoder.max_positions > kMaxRotaryPositions) {
    options.fields.Fail(FormatError(Message(options.json.Path()) + ": " + encoder.max_positions +
                                    " positions, expected at most " + kMaxRotaryPositions));
  }
}

// Positions from pad_token_id + 1 on; the padding token itself stands at pad_token_id.
void ReadPaddedPositions(Options& options, EncoderConfig& encoder) {
  const size_t pad = options.Size("pad_token_id", 1, 0, INT32_MAX - 1);
  encoder.padding_id = static_cast<int32_t>(pad);
  encoder.first_position = pad + 1;
  options.ExpectSound(pad + 1 < encoder.max_positions, "max_position_embeddings",
                      "more than pad_token_id + 1");
}

void ReadMpnet(Options& options, EncoderConfig& encoder) {
  ReadPaddedPositions(options, encoder);
  encoder.relative = RelativePositions::kBias;
  encoder.relative_bias_rows =
      options.Size("relative_attention_num_buckets", 32, kRelativeBiasBuckets, kMaxDistance);
}

void ReadAlbert(Options& options, EncoderConfig& encoder) {
  encoder.layer_sets =
      options.Size("num_hidden_groups", 1, 1, static_cast<int64_t>(encoder.layers));
  options.Expect(encoder.layers % encoder.layer_sets == 0, "num_hidden_groups",
                 "a divisor of num_hidden_layers");
  options.Expect(options.fields.Int("inner_group_num", 1) == 1, "inner_group_num", "1");
}

void AddPositionKind(std::string_view kind, Options& options, EncoderConfig& encoder) {
  encoder.content_to_position |= kind == "c2p";
  encoder.position_to_content |= kind == "p2c";
  options.Expect(kind == "c2p" || kind == "p2c" || kind.empty(), "pos_att_type",
                 "c2p, p2c or both");
}

// pos_att_type is a list, or one text with | between its items.
void ReadPositionKinds(Options& options, EncoderConfig& encoder) {
  const Json kinds = options.json.FindOrNull("pos_att_type");
  for (const Json item : kinds.Items()) {
    AddPositionKind(item.is_string() ? item.AsString().value() : "?", options, encoder);
  }
  if (kinds.is_array()) return;
  std::string_view rest = options.fields.String("pos_att_type", "");
  while (!rest.empty()) {
    const size_t bar = rest.find('|');
    AddPositionKind(rest.substr(0, bar), options, encoder);
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
}

void ReadDistances(Options& options, EncoderConfig& encoder) {
  const int64_t buckets = options.fields.Int("position_buckets", -1, -1, kMaxDistance);
  const int64_t most = options.fields.Int("max_relative_positions", -1, -1, kMaxDistance);
  encoder.relative_buckets = buckets < 1 ? 0 : static_cast<size_t>(buckets);
  encoder.relative_max_distance = most < 1 ? encoder.max_positions : static_cast<size_t>(most);
  options.ExpectSound(buckets < 1 || (buckets > 1 && encoder.relative_max_distance >
                                                         encoder.relative_buckets / 2 + 1),
                      "position_buckets",
                      "at least 2, and half of it below the largest distance");
}

void ReadDeberta(Options& options, EncoderConfig& encoder) {
  encoder.relative = RelativePositions::kDisentangled;
  const auto hidden = static_cast<int64_t>(encoder.hidden_size);
  const auto head_size = static_cast<int64_t>(encoder.head_size());
  JsonFields& fields = options.fields;
  options.Expect(fields.Int("embedding_size", hidden) == hidden, "embedding_size",
                 "that of hidden_size");
  options.Expect(fields.Int("attention_head_size", head_size) == head_size, "attention_head_size",
                 "hidden_size / num_attention_heads");
  options.Expect(fields.Bool("relative_attention", false), "relative_attention", "true");
  encoder.relative_norm = fields.Choice("norm_rel_ebd", 0, "none, layer_norm") == 1;
  encoder.position_table = fields.Bool("position_biased_input", true);
  encoder.share_position_projections = fields.Bool("share_att_key", false);
  ReadPositionKinds(options, encoder);
  ReadDistances(options, encoder);
}

// transformers 5 lists the kind of every layer.
void CheckLayerTypes(Options& options, const EncoderConfig& encoder) {
  size_t layer = 0;
  for (const Json item : options.json.FindOrNull("layer_types").Items()) {
    const std::string_view expected =
        encoder.HasWindow(layer++) ? "sliding_attention" : "full_attention";
    options.Expect(item.is_string() && item.AsString().value() == expected, "layer_types",
                   "what global_attn_every_n_layers says");
  }
}

void ReadModernBert(Options& options, EncoderConfig& encoder) {
  JsonFields& fields = options.fields;
  encoder.pre_norm = encoder.gated = true;
  encoder.first_attention_norm = false;
  encoder.norm_bias = fields.Bool("norm_bias", false);
  encoder.attention_bias = encoder.attention_output_bias = fields.Bool("attention_bias", false);
  encoder.intermediate_bias = encoder.output_bias = fields.Bool("mlp_bias", false);
  encoder.global_every = options.Size("global_attn_every_n_layers", 3, 1, 1000);
  encoder.window_reach = options.Size("local_attention", 128, 2, kMaxDistance) / 2;
  CheckLayerTypes(options, encoder);
  encoder.rotary_theta = options.Theta("global_rope_theta", 160000);
  // Null is not absent here.
  const float local = options.json.Find("local_rope_theta") ? encoder.rotary_theta : 10000;
  encoder.rotary_local_theta = options.Theta("local_rope_theta", local);
  const Json rope = options.json.FindOrNull("rope_parameters");
  float factor = 1;
  ReadRope(rope.FindOrNull("full_attention"), options, encoder.rotary_theta, factor);
  ReadRope(rope.FindOrNull("sliding_attention"), options, encoder.rotary_local_theta, factor);
  options.Expect(factor == 1, "rope_parameters", "no factor");
  options.Expect(!options.Has("rope_scaling"), "rope_scaling", "none");
  CheckRotary(options, encoder);
}

void ReadNomic(Options& options, EncoderConfig& encoder) {
  JsonFields& fields = options.fields;
  const bool public_names = options.Has("n_embd");
  encoder.gated = true;
  if (public_names && !options.Has("n_inner")) encoder.intermediate_size = 4 * encoder.hidden_size;
  // "swiglu" is what transformers calls "silu" in a gated block.
  if (options.Has("activation_function")) {
    const bool silu = fields.Choice("activation_function", 0, "swiglu, geglu") == 0;
    encoder.activation = silu ? Activation::kSilu : Activation::kGelu;
  }
  encoder.attention_bias = encoder.attention_output_bias =
      fields.Bool("qkv_proj_bias", public_names);
  encoder.intermediate_bias = fields.Bool("mlp_fc1_bias", public_names);
  encoder.output_bias = fields.Bool("mlp_fc2_bias", public_names);
  options.Expect(fields.Double("rotary_emb_fraction", public_names ? 0 : 1) == 1,
                 "rotary_emb_fraction", "1");
  encoder.rotary_theta = options.Theta("rotary_emb_base", 10000);
  ReadRope(options.json.FindOrNull("rope_parameters"), options, encoder.rotary_theta,
           encoder.rotary_factor);
  CheckRotary(options, encoder);
}

// rope_scaling of model_type "new": NTK, angles of theta * factor, slowed by factor^(2 / head size).
void ReadNtk(Options& options, EncoderConfig& encoder) {
  const Json scaling = options.json.FindOrNull("rope_scaling");
  if (scaling.is_null()) return;
  Options inner(scaling);
  options.Expect(inner.fields.String("type", "") == "ntk" && !inner.Has("mixed_b"),
                 "rope_scaling", "type ntk without mixed_b");
  const float factor = inner.Factor();
  Status status = inner.fields.FinishOpen();
  if (!status.ok()) return options.fields.Fail(std::move(status).TakeError());
  encoder.rotary_theta *= factor;
  encoder.rotary_factor = NtkRotaryFactor(factor, encoder.head_size());
}

void ReadGte(Options& options, EncoderConfig& encoder) {
  encoder.gated = true;
  encoder.intermediate_bias = false;
  options.fields.Choice("position_embedding_type", 0, "rope");
  options.fields.Choice("layer_norm_type", 0, "layer_norm");
  encoder.rotary_theta = options.Theta("rope_theta", 10000);
  ReadNtk(options, encoder);
  ReadRope(options.json.FindOrNull("rope_parameters"), options, encoder.rotary_theta,
           encoder.rotary_factor);
  CheckRotary(options, encoder);
}

}  // namespace

Status RefuseOtherNetworks(Json config, ModelFamily family) {
  Options options(config);
  for (const FixedKey& fixed : kFixedKeys) {
    if (!fixed.any_family && fixed.family != family) continue;
    const bool value = options.fields.Bool(fixed.key, fixed.value);
    options.Expect(value == fixed.value, fixed.key, fixed.value ? "true" : "false");
  }
  for (const char* key : kEmptyKeys) {
    options.Expect(IsEmpty(config.FindOrNull(key)), key, "none: it is not supported");
  }
  // gte has names of its own for its one kind.
  if (family != ModelFamily::kGte) {
    options.fields.Choice("position_embedding_type", 0, "absolute");
  }
  return options.fields.FinishOpen();
}

ErrorBox UnknownActivationError(Json config, const char* key) {
  return UnsupportedError(
      Options(config).Unexpected(key, "the name of a known activation function"));
}

Status ReadFamilyOptions(Json config, ModelFamily family, EncoderConfig& encoder) {
  Options options(config);
  switch (family) {
    case ModelFamily::kBert:
    case ModelFamily::kDistilBert:
    case ModelFamily::kElectra: break;
    case ModelFamily::kRoberta: ReadPaddedPositions(options, encoder); break;
    case ModelFamily::kMpnet: ReadMpnet(options, encoder); break;
    case ModelFamily::kAlbert: ReadAlbert(options, encoder); break;
    case ModelFamily::kDeberta: ReadDeberta(options, encoder); break;
    case ModelFamily::kModernBert: ReadModernBert(options, encoder); break;
    case ModelFamily::kNomic: ReadNomic(options, encoder); break;
    case ModelFamily::kGte: ReadGte(options, encoder); break;
  }
  return options.fields.FinishOpen();
}

}  // namespace pocketbert
