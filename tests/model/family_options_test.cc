// The families' options of config.json. Defaults are those of their configuration classes in
// transformers.

#include <catch2/catch_amalgamated.hpp>

#include <string>

#include "model/hf_config.h"
#include "nn/position_tables.h"

namespace pocketbert {
namespace {

HfConfig Parse(const std::string& model_type, const std::string& members = "") {
  auto config = ParseHfConfig("{\"model_type\":\"" + model_type + "\"" +
                              (members.empty() ? "" : "," + members) + "}");
  if (!config.ok()) FAIL(config.error().message);
  return std::move(config).value();
}

EncoderConfig Encoder(const std::string& model_type, const std::string& members = "") {
  return Parse(model_type, members).encoder;
}

// The error names the first key of `members`.
void CheckRefused(const std::string& model_type, const std::string& members, ErrorCode code) {
  INFO(model_type << " " << members);
  const auto config = ParseHfConfig("{\"model_type\":\"" + model_type + "\"," + members + "}");
  REQUIRE_FALSE(config.ok());
  CHECK(config.error().code == code);
  CHECK(config.error().message.starts_with("config.json"));
  const std::string key = members.substr(1, members.find('"', 1) - 1);
  INFO(config.error().message);
  CHECK(config.error().message.find(key) != std::string::npos);
}

TEST_CASE("RoBERTa and its relatives count positions from pad_token_id + 1") {
  for (const char* type : {"roberta", "xlm-roberta", "camembert"}) {
    const HfConfig config = Parse(type, R"("max_position_embeddings":514)");
    CHECK(config.family == ModelFamily::kRoberta);
    CHECK(config.model_type == type);
    CHECK(config.encoder.first_position == 2);
    CHECK(config.encoder.padding_id == 1);
    CHECK(config.encoder.max_tokens() == 512);
    CHECK(config.encoder.relative == RelativePositions::kNone);
  }
  CHECK(Encoder("roberta").vocab_size == 50265);
  CHECK(Encoder("xlm-roberta", R"("pad_token_id":4)").first_position == 5);
  CheckRefused("roberta", R"("max_position_embeddings":2)", ErrorCode::kFormat);
  CheckRefused("roberta", R"("pad_token_id":-1)", ErrorCode::kFormat);
  CheckRefused("camembert", R"("pad_token_id":600)", ErrorCode::kFormat);
  CheckRefused("xlm-roberta", R"("position_embedding_type":"relative_key")",
               ErrorCode::kUnsupported);
}

TEST_CASE("MPNet") {
  const EncoderConfig config = Encoder("mpnet");
  CHECK(config.relative == RelativePositions::kBias);
  CHECK(config.relative_bias_rows == 32);
  CHECK(config.type_vocab_size == 0);
  CHECK(config.first_position == 2);
  CHECK(Encoder("mpnet", R"("relative_attention_num_buckets":40)").relative_bias_rows == 40);
  CheckRefused("mpnet", R"("relative_attention_num_buckets":31)", ErrorCode::kFormat);
}

TEST_CASE("ALBERT") {
  const EncoderConfig config = Encoder("albert");
  CHECK(config.hidden_size == 4096);
  CHECK(config.embedding_size == 128);
  CHECK(config.heads == 64);
  CHECK(config.intermediate_size == 16384);
  CHECK(config.activation == Activation::kGeluTanh);
  CHECK(config.weight_sets() == 1);
  CHECK(config.WeightSet(11) == 0);
  const EncoderConfig groups = Encoder("albert", R"("num_hidden_groups":4)");
  CHECK(groups.weight_sets() == 4);
  CHECK(groups.WeightSet(2) == 0);
  CHECK(groups.WeightSet(3) == 1);
  CHECK(groups.WeightSet(11) == 3);
  CheckRefused("albert", R"("num_hidden_groups":5)", ErrorCode::kUnsupported);
  CheckRefused("albert", R"("num_hidden_groups":0)", ErrorCode::kFormat);
  CheckRefused("albert", R"("inner_group_num":2)", ErrorCode::kUnsupported);
}

TEST_CASE("DeBERTa") {
  const std::string relative = R"("relative_attention":true)";
  const EncoderConfig standard = Encoder("deberta-v2", relative);
  CHECK(standard.relative == RelativePositions::kDisentangled);
  CHECK(standard.layer_norm_eps == 1e-7f);
  CHECK(standard.position_table);
  CHECK_FALSE(standard.content_to_position);
  CHECK_FALSE(standard.relative_norm);
  CHECK_FALSE(standard.share_position_projections);
  CHECK(standard.relative_span() == 512);  // max_relative_positions, or the positions
  const EncoderConfig v3 = Encoder(
      "deberta-v2", relative + R"(,"position_buckets":256,"pos_att_type":"p2c|c2p",)"
                               R"("share_att_key":true,"norm_rel_ebd":"layer_norm",)"
                               R"("position_biased_input":false,"max_relative_positions":-1)");
  CHECK(v3.content_to_position);
  CHECK(v3.position_to_content);
  CHECK(v3.share_position_projections);
  CHECK(v3.relative_norm);
  CHECK_FALSE(v3.position_table);
  CHECK(v3.relative_span() == 256);
  CHECK(v3.relative_max_distance == 512);
  const EncoderConfig list = Encoder("deberta-v2", relative + R"(,"pos_att_type":["c2p"])");
  CHECK(list.content_to_position);
  CHECK_FALSE(list.position_to_content);
  CheckRefused("deberta-v2", R"("relative_attention":false)", ErrorCode::kUnsupported);
  const auto refused = [&](const std::string& members, ErrorCode code) {
    CheckRefused("deberta-v2", members + "," + relative, code);
  };
  refused(R"("pos_att_type":["c2p","p2p"])", ErrorCode::kUnsupported);
  refused(R"("pos_att_type":"p2p")", ErrorCode::kUnsupported);
  refused(R"("pos_att_type":3)", ErrorCode::kFormat);
  refused(R"("conv_kernel_size":3)", ErrorCode::kUnsupported);
  refused(R"("embedding_size":128)", ErrorCode::kUnsupported);
  refused(R"("attention_head_size":8)", ErrorCode::kUnsupported);
  refused(R"("norm_rel_ebd":"batch_norm")", ErrorCode::kUnsupported);
  refused(R"("position_buckets":1)", ErrorCode::kFormat);
  refused(R"("position_buckets":256,"max_relative_positions":129)", ErrorCode::kFormat);
  refused(R"("position_buckets":100000000)", ErrorCode::kFormat);
}

TEST_CASE("ModernBERT") {
  const HfConfig standard = Parse("modernbert");
  const EncoderConfig& config = standard.encoder;
  CHECK(config.pre_norm);
  CHECK(config.gated);
  CHECK_FALSE(config.norm_bias);
  CHECK_FALSE(config.attention_bias);
  CHECK_FALSE(config.intermediate_bias);
  CHECK_FALSE(config.position_table);
  CHECK_FALSE(config.HasAttentionNorm(0));
  CHECK(config.HasAttentionNorm(1));
  CHECK(config.layer_norm_eps == 1e-5f);
  CHECK(config.rotary_theta == 160000);
  CHECK(config.rotary_local_theta == 10000);
  CHECK(config.window_reach == 64);
  CHECK_FALSE(config.HasWindow(0));
  CHECK(config.HasWindow(1));
  CHECK(config.HasWindow(2));
  CHECK_FALSE(config.HasWindow(3));
  CHECK(standard.head_activation == "gelu");
  CHECK_FALSE(standard.head_bias);
  CHECK_FALSE(standard.head_mean);
  CHECK(Parse("modernbert", R"("classifier_pooling":"mean")").head_mean);
  CHECK(Encoder("modernbert", R"("local_rope_theta":null)").rotary_local_theta == 160000);
  const EncoderConfig newer = Encoder(
      "modernbert", R"("rope_parameters":{"full_attention":{"rope_type":"default","rope_theta":5},)"
                    R"("sliding_attention":{"rope_theta":7}},"global_attn_every_n_layers":2,)"
                    R"("num_hidden_layers":2,"layer_types":["full_attention","sliding_attention"])");
  CHECK(newer.rotary_theta == 5);
  CHECK(newer.rotary_local_theta == 7);
  const auto refused = [](const std::string& members, ErrorCode code) {
    CheckRefused("modernbert", members, code);
  };
  refused(R"("local_attention":1)", ErrorCode::kFormat);
  refused(R"("local_attention":"wide")", ErrorCode::kFormat);
  refused(R"("global_attn_every_n_layers":0)", ErrorCode::kFormat);
  refused(R"("layer_types":["full_attention","full_attention"])", ErrorCode::kUnsupported);
  refused(R"("rope_scaling":{"type":"yarn","factor":2})", ErrorCode::kUnsupported);
  refused(R"("global_rope_theta":0)", ErrorCode::kFormat);
  refused(R"("global_rope_theta":1e300)", ErrorCode::kFormat);
  refused(R"("classifier_pooling":"max")", ErrorCode::kUnsupported);
  refused(R"("classifier_activation":"geluu")", ErrorCode::kUnsupported);
  refused(R"("hidden_activation":"prelu")", ErrorCode::kUnsupported);
  const auto odd = ParseHfConfig(
      R"({"model_type":"modernbert","hidden_size":27,"num_attention_heads":3})");
  REQUIRE_FALSE(odd.ok());
  CHECK(odd.error().message.find("attention head is 9") != std::string::npos);
  const auto long_texts =
      ParseHfConfig(R"({"model_type":"modernbert","max_position_embeddings":2000000})");
  REQUIRE_FALSE(long_texts.ok());
  CHECK(long_texts.error().message.find("2000000 positions") != std::string::npos);
}

TEST_CASE("nomic: the keys of the public files and those of transformers") {
  const EncoderConfig old = Encoder(
      "nomic_bert",
      R"("n_embd":24,"n_head":3,"n_layer":2,"n_positions":64,"layer_norm_epsilon":1e-5,)"
      R"("rotary_emb_fraction":1.0,"rotary_emb_base":1000,"activation_function":"swiglu",)"
      R"("qkv_proj_bias":false,"mlp_fc1_bias":false,"mlp_fc2_bias":false)");
  CHECK(old.hidden_size == 24);
  CHECK(old.intermediate_size == 96);  // n_inner null: 4 n_embd
  CHECK(old.max_positions == 64);
  CHECK(old.layer_norm_eps == 1e-5f);
  CHECK(old.activation == Activation::kSilu);
  CHECK(old.rotary_theta == 1000);
  CHECK_FALSE(old.attention_bias);
  CHECK(old.norm_bias);
  CHECK(old.gated);
  CHECK_FALSE(old.pre_norm);
  const EncoderConfig newer = Encoder(
      "nomic_bert", R"("hidden_size":24,"num_attention_heads":3,"hidden_act":"silu",)"
                    R"("rope_parameters":{"rope_theta":1000.0})");
  CHECK(newer.rotary_theta == 1000);
  CHECK(newer.activation == Activation::kSilu);
  CHECK_FALSE(newer.output_bias);
  const std::string whole = R"(,"n_embd":24,"n_head":3,"rotary_emb_fraction":1)";
  for (const char* members :
       {R"("prenorm":true)", R"("causal":true)", R"("use_rms_norm":true)",
        R"("rotary_emb_interleaved":true)", R"("rotary_scaling_factor":2)",
        R"("moe_every_n_layers":2)", R"("activation_function":"gelu")",
        R"("parallel_block":true)"}) {
    CheckRefused("nomic_bert", members + whole, ErrorCode::kUnsupported);
  }
  CheckRefused("nomic_bert", R"("rotary_emb_fraction":0.5,"n_embd":24,"n_head":3)",
               ErrorCode::kUnsupported);
}

TEST_CASE("gte, and its public name new") {
  const EncoderConfig config = Encoder("gte");
  CHECK(config.vocab_size == 250048);
  CHECK(config.type_vocab_size == 1);
  CHECK(config.gated);
  CHECK(config.attention_bias);
  CHECK(config.output_bias);
  CHECK_FALSE(config.intermediate_bias);
  CHECK(Encoder("gte", R"("type_vocab_size":0)").type_vocab_size == 0);
  const EncoderConfig scaled =
      Encoder("new", R"("rope_theta":20000,"rope_scaling":{"type":"ntk","factor":8.0})");
  CHECK(Parse("new").family == ModelFamily::kGte);
  CHECK(scaled.rotary_theta == 160000);
  CHECK(scaled.rotary_factor == NtkRotaryFactor(8, 64));
  const EncoderConfig linear = Encoder(
      "gte", R"("rope_parameters":{"rope_type":"linear","rope_theta":160000,"factor":1.067})");
  CHECK(linear.rotary_factor == 1.067f);
  for (const char* members :
       {R"("position_embedding_type":"absolute")", R"("layer_norm_type":"rms_norm")",
        R"("logn_attention_scale":true)", R"("rope_scaling":{"type":"dynamic","factor":2})",
        R"("rope_scaling":{"type":"ntk","factor":2,"mixed_b":0.5})"}) {
    CheckRefused("new", members, ErrorCode::kUnsupported);
  }
  CheckRefused("gte", R"("rope_parameters":{"rope_type":"yarn"})", ErrorCode::kUnsupported);
  const auto factor =
      ParseHfConfig(R"({"model_type":"new","rope_scaling":{"type":"ntk","factor":0}})");
  REQUIRE_FALSE(factor.ok());
  CHECK(factor.error().message.find("factor is 0") != std::string::npos);
}

TEST_CASE("sizes of 0 and heads that do not divide are refused in every family") {
  for (const char* type : {"roberta", "mpnet", "albert", "deberta-v2", "modernbert", "gte", "new"}) {
    for (const char* members :
         {R"("hidden_size":0)", R"("num_hidden_layers":0)", R"("num_attention_heads":0)",
          R"("intermediate_size":0)", R"("vocab_size":0)", R"("max_position_embeddings":0)",
          R"("num_attention_heads":7)"}) {
      CheckRefused(type, std::string(members) + R"(,"relative_attention":true)",
                   ErrorCode::kFormat);
    }
  }
}

TEST_CASE("other models are refused by name, with the list of what is known") {
  for (const char* type : {"mobilebert", "roformer", "t5", "deberta", "eurobert", "llama"}) {
    const auto config = ParseHfConfig("{\"model_type\":\"" + std::string(type) + "\"}");
    REQUIRE_FALSE(config.ok());
    CHECK(config.error().code == ErrorCode::kUnsupported);
    const std::string& message = config.error().message;
    for (const std::string& part : {"model_type \"" + std::string(type) + "\"",
                                    std::string("xlm-roberta"), std::string("deberta-v2")}) {
      CHECK(message.find(part) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pocketbert
