from __future__ import annotations

import gzip
import json

import pytest
from curation_helpers import problem

from curation.flags import statement_flags
from curation.language import language, not_english
from evaluator.errata import find
from pipelines.problem import Checker

# ruff: noqa: E501
#: One sentence pair, translated by hand.
OTHERS = {
    "fr": "Étant donné un tableau d'entiers, trouvez la plus grande somme d'une partie contiguë et affichez-la sur une seule ligne.",
    "de": "Gegeben ist ein Feld ganzer Zahlen. Bestimme die größte Summe einer zusammenhängenden Teilfolge und gib sie aus.",
    "es": "Dado un arreglo de enteros, encuentra la mayor suma de una parte contigua e imprímela en una sola línea.",
    "pt": "Dada uma lista de números inteiros, encontre a maior soma de uma parte contígua e imprima em uma única linha.",
    "it": "Dato un vettore di numeri interi, trova la somma massima di una parte contigua e stampala su una sola riga.",
    "pl": "Dana jest tablica liczb całkowitych. Znajdź największą sumę spójnego fragmentu i wypisz ją w jednym wierszu.",
    "vi": "Cho một mảng các số nguyên. Hãy tìm tổng lớn nhất của một đoạn con liên tiếp và in ra trên một dòng.",
    "tr": "Tam sayılardan oluşan bir dizi veriliyor. Ardışık bir parçanın en büyük toplamını bulun ve tek satıra yazdırın.",
    "nl": "Gegeven een rij van gehele getallen, bepaal de grootste som van een aaneengesloten deel en druk die af op een regel.",
    "sv": "Givet en lista med heltal, hitta den största summan av en sammanhängande del och skriv ut den på en enda rad.",
    "ro": "Se dă un tablou de numere întregi. Găsiți suma maximă a unei părți continue și afișați-o pe o singură linie.",
    "ru": "Дан массив целых чисел. Найдите сумму.",
    "uk": "Дано масив цілих чисел. Знайдіть найбільшу суму підвідрізка.",
    "zh": "给定一个整数数组,输出连续子数组的最大和。",
    "ja": "整数列が与えられます。連続部分列の和の最大値を出力してください。",
    "ko": "정수로 이루어진 배열이 주어진다. 연속 부분 배열의 최대 합을 출력하시오.",
    "ar": "تعطى مصفوفة من الأعداد الصحيحة. اطبع أكبر مجموع لجزء متصل.",
    "he": "נתון מערך של מספרים שלמים. הדפיסו את הסכום הגדול ביותר.",
    "fa": "آرایه‌ای از اعداد صحیح داده شده است. بزرگ‌ترین مجموع را چاپ کنید.",
}  # fmt: skip


@pytest.mark.parametrize("code", OTHERS)
def test_other_languages_are_named(code: str) -> None:
    found = not_english(f"{OTHERS[code]}\n\n```\nfor x in range(n):\n```\n$a_1 \\leq \\sum b$")
    assert found is not None
    assert found[0] == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Add.",
        "Print n.",
        "$a_1 + \\ldots + a_n$ `x = y`",
        "Lorem ipsum",  # too short to tell
        "Takahashi of Sapporo met Aoki, Снуке and Żółw at the café; how many yen did she pay there?",
        "Given an m x n grid, return the minimum path sum from the top left to the bottom right.",
        "x y z w 1 2 3 4 5 6 7 8 9 10 a[i] b[j] c[k] dp[i][j] nums1 nums2 f(x) g(y) 2*x + 3*y <= 10",
    ],
)
def test_english_and_too_little_prose_are_left(text: str) -> None:
    assert not_english(text) is None
    assert language(text)[0] in ("", "en")


@pytest.mark.parametrize(
    ("flag", "statement"),
    [
        ("needs_image", "See ![](x.png)."),
        ("needs_image", "Walls are drawn <image>."),
        ("needs_image", "The grid is shown in the figure."),
        ("needs_image", "The diagram below explains it."),
        ("interactive", "This is an interactive problem, where you ask."),
        ("interactive", "It is a run-time interactive task."),
        ("interactive", "You interact with the judge."),
        ("multi_pass", "Your program will be run twice: first to encode."),
        ("file_io", "Read the numbers from input.txt, please."),
        ("file_io", "Input file: jars.in"),
        ("answer_not_determined", "If there are multiple ways, you may print any of them."),
        ("answer_not_determined", "If several exist, print any."),
        ("answer_not_determined", "If there is more than one answer. Output any."),
        ("answer_not_determined", "Any of them will be accepted."),
        ("answer_not_determined", "You may return the answer in any order."),
        ("answer_not_determined", "Print any integer that is not the sum."),
        ("answer_not_determined", "The returned array may be in any order."),
    ],
)
def test_flags_and_their_words(flag: str, statement: str) -> None:
    assert list(statement_flags(problem("a/b", statement))) == [flag]


@pytest.mark.parametrize(
    "statement",
    [
        "This is not an interactive problem.",
        "Your program will be run multiple times on different tests.",
        "You can output the answer in any case (upper or lower).",
        "Concatenate the pieces in any order; print the largest number.",
        "Perform the operations in any order.",
        "Is there any answer? Print the number of figures and images.",
        "```\nprint any of them; ![](x)\n```",
        "The string is input.output and has no file.",
    ],
)
def test_what_only_sounds_alike(statement: str) -> None:
    assert statement_flags(problem("a/b", statement)) == {}


def test_what_the_problem_settles() -> None:
    order = "Return the answer in any order."
    for kind in ("unordered", "asserts"):
        assert statement_flags(problem("a/b", order, checker=Checker(kind))) == {}
    assert statement_flags(problem("a/b", "Read from input.txt.", fn_name="f")) == {}


def test_the_errata_of_livecodebench_are_found(shared_data) -> None:
    """Truth: the rows whose errata say 'several answers' (all 11, by their words) and
    'interactive' (2 of 2)."""
    path = shared_data / "livecodebench/release_v5_submissions_o1_mini.jsonl.gz"
    kinds = {"answer_not_determined": "several_answers", "interactive": "interactive"}
    raised = dict.fromkeys(kinds, 0)
    right = dict.fromkeys(kinds, 0)
    with gzip.open(path, "rt") as f:
        for row in map(json.loads, f):
            function = "f" if row["starter_code"] else None
            flags = statement_flags(problem("l/1", row["question_content"], fn_name=function))
            assert "not_english" not in flags, row["question_id"]
            erratum = find(row["question_id"])
            for flag, kind in kinds.items():
                raised[flag] += flag in flags
                right[flag] += flag in flags and erratum is not None and erratum.kind == kind
    assert right == {"answer_not_determined": 11, "interactive": 2}
    assert raised == {"answer_not_determined": 17, "interactive": 2}
