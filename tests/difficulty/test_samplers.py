"""The transformers sampler on a tiny random model (and, for the chat template, the real one)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from difficulty.models import ModelError
from difficulty.samplers import Completion, SamplerError, TransformersSampler, load_model

pytestmark = pytest.mark.lm

PROMPTS = [list(range(100, 107)), list(range(300, 340)), [55], list(range(700, 715))]
KEYS = ["a/short", "a/long", "a/one", "a/mid"]


@pytest.fixture
def tiny(make_tiny: Any, tokenizer: Any) -> TransformersSampler:
    return TransformersSampler((make_tiny(), tokenizer), batch_size=6)


def draw(s: TransformersSampler, **options: Any) -> list[list[Completion]]:
    values = {"temperature": 0.9, "max_new_tokens": 12, "seed": 3, **options}
    which = values.pop("which", range(len(PROMPTS)))
    n = values.pop("n", 5)
    return s.generate([PROMPTS[i] for i in which], n, keys=[KEYS[i] for i in which], **values)


# -- randomness -----------------------------------------------------------------------------------


def test_a_sample_does_not_depend_on_its_batch(tiny: TransformersSampler) -> None:
    together = draw(tiny)
    tiny.batch_size = 64
    assert draw(tiny) == together
    tiny.batch_size = 1
    assert draw(tiny) == together
    assert draw(tiny, which=[2, 0]) == [together[2], together[0]]
    assert [group[:2] for group in together] == draw(tiny, n=2)


def test_rows_that_end_at_different_times_do_not_disturb_each_other(
    make_tiny: Any, tokenizer: Any
) -> None:
    model = make_tiny(max_position_embeddings=200)
    model.config.eos_token_id = list(range(0, 1000, 40))
    s = TransformersSampler((model, tokenizer), batch_size=40)
    together = draw(s, n=10, max_new_tokens=180)  # beyond the room of one growth of the cache
    lengths = sorted(len(c.token_ids) for g in together for c in g)
    assert lengths[0] < 10
    assert lengths[-1] > 100
    s.batch_size = 1
    assert draw(s, n=10, max_new_tokens=180) == together
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_every_grouping_of_heads_and_own_attention(
    make_tiny: Any, tokenizer: Any, groups: int, attention: str
) -> None:
    import torch

    model = make_tiny(num_key_value_heads=groups)
    model.set_attn_implementation(attention)
    s = TransformersSampler((model, tokenizer))
    for prompt, [c] in zip(PROMPTS, draw(s, temperature=0, n=1), strict=True):
        ids = list(prompt)
        with torch.no_grad():
            for _ in c.token_ids:  # the whole text again for every token
                ids.append(int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax()))
        assert ids[len(prompt) :] == list(c.token_ids)


def test_sliding_windows_and_learned_positions(tokenizer: Any) -> None:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, MistralConfig, MistralForCausalLM

    torch.manual_seed(0)
    sizes = {"vocab_size": 1000, "initializer_range": 0.5, "eos_token_id": 2, "bos_token_id": 1}
    mistral = MistralConfig(
        **sizes,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        sliding_window=8,
    )
    gpt2 = GPT2Config(**sizes, n_positions=60, n_embd=32, n_layer=2, n_head=2)
    for model in (MistralForCausalLM(mistral).eval(), GPT2LMHeadModel(gpt2).eval()):
        s = TransformersSampler((model, tokenizer))
        for prompt, [c] in zip(PROMPTS, draw(s, temperature=0, n=1), strict=True):
            ids = list(prompt)
            with torch.no_grad():
                for _ in c.token_ids:
                    ids.append(
                        int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax())
                    )
            assert ids[len(prompt) :] == list(c.token_ids)


def test_seed_key_and_index_each_make_another_sample(tiny: TransformersSampler) -> None:
    first = draw(tiny)
    assert draw(tiny) == first
    assert all(a != b for a, b in zip(first, draw(tiny, seed=4), strict=True))
    assert len(set(first[0])) == 5
    renamed = tiny.generate([PROMPTS[0]], 5, temperature=0.9, max_new_tokens=12, seed=3, keys=["b"])
    assert renamed[0] != first[0]


def test_torchs_own_generator_is_neither_used_nor_moved(tiny: TransformersSampler) -> None:
    import torch

    torch.manual_seed(1)
    first = draw(tiny)
    state = torch.get_rng_state()
    torch.manual_seed(2)
    assert draw(tiny) == first
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.6, 1.0), (1.2, 0.7)])
def test_first_tokens_follow_the_models_distribution(
    make_tiny: Any, tokenizer: Any, temperature: float, top_p: float
) -> None:
    import torch

    model = make_tiny(vocab_size=40)
    n, prompt = 4000, [5, 9, 30]
    s = TransformersSampler((model, tokenizer), batch_size=n)
    options = {"temperature": temperature, "top_p": top_p, "max_new_tokens": 1, "seed": 0}
    [group] = s.generate([prompt], n, keys=["k"], **options)
    with torch.no_grad():
        logits = model(torch.tensor([prompt])).logits[0, -1].double()
    p = (logits / temperature).softmax(-1)
    if top_p < 1:  # by the definition, one token at a time
        kept, mass = torch.zeros_like(p), 0.0
        for i in p.argsort(descending=True):
            if mass >= top_p:
                break
            kept[i], mass = p[i], mass + float(p[i])
        p = kept / kept.sum()
    counts = Counter(c.token_ids[0] for c in group)
    assert all(p[i] > 0 for i in counts)
    # chi-square over the tokens expected at least five times: mean dof, sd sqrt(2 dof)
    common = [i for i in range(40) if n * p[i] >= 5]
    chi = sum((counts[i] - n * float(p[i])) ** 2 / (n * float(p[i])) for i in common)
    assert chi < len(common) + 5 * (2 * len(common)) ** 0.5


# -- the loop against transformers' own -----------------------------------------------------------


def test_greedy_is_transformers_greedy_for_each_prompt_of_a_batch(
    tiny: TransformersSampler,
) -> None:
    import torch

    ours = draw(tiny, temperature=0, n=2, max_new_tokens=20)
    for prompt, group in zip(PROMPTS, ours, strict=True):
        ids = torch.tensor([prompt])
        theirs = tiny.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=20,
            pad_token_id=2,
        )[0, len(prompt) :].tolist()
        assert [list(c.token_ids) for c in group] == [theirs, theirs]


def test_greedy_of_the_real_model_in_a_left_padded_batch(smollm2: Path) -> None:
    import torch

    s = TransformersSampler(smollm2)
    asked = ["What is 2 + 2?", "What is the capital of France?", "Say hi."]
    prompts = [s.encode([{"role": "user", "content": q}]) for q in asked]
    ours = s.generate(prompts, 1, temperature=0, max_new_tokens=24, seed=0, keys=asked)
    width = max(map(len, prompts))
    ids = torch.full((3, width), 2)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        mask[row, width - len(prompt) :] = 1
    theirs = s.model.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=24)
    for row, [answer] in enumerate(ours):
        got = theirs[row, width:].tolist()
        assert got[: len(answer.token_ids)] == list(answer.token_ids)
        assert "<|im_end|>" not in answer.text


def test_the_chat_template_ends_where_the_assistant_answers(smollm2: Path) -> None:
    s = TransformersSampler(smollm2)
    text = s.tokenizer.decode(s.encode([{"role": "user", "content": "hi"}]))
    assert text.endswith("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
    assert s.stop_ids == {s.tokenizer.convert_tokens_to_ids("<|im_end|>")}
    assert s.context_length == 8192


# -- where an answer ends -------------------------------------------------------------------------


def greedy_ids(s: TransformersSampler, n: int = 12) -> list[int]:
    [[c]] = draw(s, temperature=0, n=1, which=[0], max_new_tokens=n)
    return list(c.token_ids)


def test_every_stop_id_ends_an_answer_and_is_kept(make_tiny: Any, tokenizer: Any) -> None:
    path = greedy_ids(TransformersSampler((make_tiny(), tokenizer)))
    at = next(i for i in range(3, 12) if path[i] not in path[:i])
    model = make_tiny()
    model.generation_config.eos_token_id = [7, path[at]]
    s = TransformersSampler((model, tokenizer))
    assert s.stop_ids == {2, 7, path[at]}
    [[c]] = draw(s, temperature=0, n=1, which=[0])
    assert c.token_ids == tuple(path[: at + 1])
    assert c.finish_reason == "stop"


def test_a_first_token_that_stops(make_tiny: Any, tokenizer: Any) -> None:
    model = make_tiny()
    first = greedy_ids(TransformersSampler((model, tokenizer)))[0]
    model.config.eos_token_id = [2, first]
    s = TransformersSampler((model, tokenizer))
    [short, *others] = draw(s, temperature=0, n=3)
    assert short == [Completion((first,), tokenizer.decode([first]), "stop")] * 3
    assert all(len(g) == 3 for g in others)  # the rows left behind go on


def test_stop_exactly_at_the_limit_is_a_stop(make_tiny: Any, tokenizer: Any) -> None:
    path = greedy_ids(TransformersSampler((make_tiny(), tokenizer)))
    at = next(i for i in range(3, 12) if path[i] not in path[:i])
    model = make_tiny()
    model.config.eos_token_id = path[at]
    s = TransformersSampler((model, tokenizer))
    for limit, reason in ((at + 1, "stop"), (at, "length")):
        [[c]] = draw(s, temperature=0, n=1, which=[0], max_new_tokens=limit)
        assert (len(c.token_ids), c.finish_reason) == (limit, reason)


def test_the_context_limits_each_row(make_tiny: Any, tokenizer: Any) -> None:
    s = TransformersSampler((make_tiny(max_position_embeddings=45), tokenizer))
    groups = draw(s, max_new_tokens=30, n=2)
    longest = [max(len(c.token_ids) for c in g) for g in groups]
    assert longest == [30, 5, 30, 30]  # the prompt of 40 tokens leaves 5
    small = TransformersSampler((make_tiny(max_position_embeddings=40), tokenizer))
    with pytest.raises(SamplerError, match="'a/long' has 40 tokens and the model's context is 40"):
        draw(small)


def test_a_model_without_a_stop_id_is_refused(make_tiny: Any, tokenizer: Any) -> None:
    import copy

    model, bare = make_tiny(), copy.deepcopy(tokenizer)
    model.config.eos_token_id = model.generation_config.eos_token_id = bare.eos_token = None
    with pytest.raises(SamplerError, match="no end-of-sequence token"):
        TransformersSampler((model, bare))


# -- the live module ------------------------------------------------------------------------------


def test_sampling_is_in_eval_mode_and_leaves_each_mode_as_it_was(
    make_tiny: Any, tokenizer: Any
) -> None:
    model = make_tiny(attention_dropout=0.5)
    s = TransformersSampler((model, tokenizer))
    first = draw(s)
    model.train()
    model.model.layers[0].eval()  # a part that somebody froze
    before = {name: m.training for name, m in model.named_modules()}
    assert draw(s) == first
    assert {name: m.training for name, m in model.named_modules()} == before
    assert all(p.requires_grad and p.grad is None for p in model.parameters())


def test_an_updated_module_is_sampled_as_it_is_now(make_tiny: Any, tokenizer: Any) -> None:
    import torch

    model = make_tiny()
    s = TransformersSampler((model, tokenizer))
    first = draw(s)
    with torch.no_grad():
        model.lm_head.weight.mul_(-1)
    assert draw(s) != first


def test_broken_weights_are_named(make_tiny: Any, tokenizer: Any) -> None:
    import torch

    model = make_tiny()
    with torch.no_grad():
        model.lm_head.weight[3] = float("nan")
    with pytest.raises(SamplerError, match=r"not a number"):
        draw(TransformersSampler((model, tokenizer)))


def test_wrong_arguments_are_named(tiny: TransformersSampler) -> None:
    with pytest.raises(SamplerError, match="as many keys"):
        tiny.generate(PROMPTS, 1, temperature=1, max_new_tokens=4, seed=0, keys=["a"])
    with pytest.raises(SamplerError, match="negative"):
        draw(tiny, temperature=-1)
    with pytest.raises(SamplerError, match="max_new_tokens"):
        draw(tiny, max_new_tokens=0)
    assert draw(tiny, which=[]) == []


def test_on_tokens_counts_what_was_drawn(tiny: TransformersSampler) -> None:
    seen: list[int] = []
    tiny.on_tokens = seen.append
    groups = draw(tiny)
    assert sum(seen) == sum(len(c.token_ids) for g in groups for c in g)


def test_folders_that_hold_no_model(tmp_path: Path, make_tiny: Any, tokenizer: Any) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="can't be loaded"):
        load_model(tmp_path)
    plain = tmp_path / "plain"
    make_tiny(vocab_size=40).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    (plain / "chat_template.jinja").unlink()
    with pytest.raises(ModelError, match="no chat template"):
        load_model(plain)
