"""``mneme bench``: measure on your own copy of a data set, and fit what ships; the project ships no data set."""

from evaluation.commands.skeleton import Bench, group


def _retrieval(name: str, purpose: str) -> Bench:
    return Bench("evaluation.retrieval.bench:run_retrieval", "embedded", {"name": name}, purpose)


app = group(
    "Benchmarks on your own data: table, JSON, plot, one line of headline figures.",
    {
        "locomo": _retrieval(
            "locomo", "Retrieval on LoCoMo: hit, recall, NDCG and MRR of each method, by category of question, with intervals."
        ),
        "locomo-all": _retrieval(
            "locomo-all", "The same with the adversarial questions, whose evidence is labelled too: as ConvMemory counts."
        ),
        "beam": _retrieval("beam", "Retrieval on BEAM: long chats with an assistant, questions by ability."),
        "longmemeval": _retrieval(
            "longmemeval", "Retrieval on LongMemEval: a history of sessions for each question, by labelled turn."
        ),
        "memdaily": _retrieval("memdaily", "Retrieval on MemDaily: a Chinese diary."),
        "compare": Bench("evaluation.retrieval.compare:run_compare"),
        "peers": Bench("evaluation.peers.bench:run_peers"),
        "boundaries": Bench("evaluation.bench_boundaries:run_boundaries"),
        "ingest": Bench("evaluation.bench_ingest:run_ingest"),
        "query": Bench("evaluation.bench_query:run_query", "embedded"),
        "stages": Bench("evaluation.bench_stages:run_stages"),
        "faults": Bench("evaluation.faults.bench:run_faults"),
        "freshness": Bench("evaluation.bench_freshness:run_freshness"),
        "capacity": Bench("evaluation.capacity:capacity"),
        "record": Bench("evaluation.recording.commands:record"),
        "replay": Bench("evaluation.recording.commands:replay"),
    },
)
app.add_typer(
    group(
        "Whether what is remembered is true: a draw to grade, changes, questions.",
        {
            "draw": Bench("evaluation.truth.draw:run_draw"),
            "score": Bench("evaluation.truth.sheet:run_score"),
            "changes": Bench("evaluation.truth.changes:run_changes"),
            "questions": Bench("evaluation.truth.questions:run_questions"),
        },
    ),
    name="truth",
)
app.add_typer(
    group(
        "Evaluate answers on your own copy of a set: ingest, search, answer, judge.",
        {
            name: Bench("evaluation.answers.evaluate:run_answers", given={"name": name}, help=purpose)
            for name, purpose in (
                ("locomo", "LoCoMo: long talks of two friends; categories 1 to 4, and the adversarial fifth."),
                ("longmemeval", "LongMemEval: a history of sessions for each question, seven abilities with abstention."),
                ("beam", "BEAM: long chats with an assistant, ten abilities, judged by rubrics."),
            )
        },
    ),
    name="eval",
)
app.add_typer(
    group(
        "Fit shipped coefficients again, on your own data.",
        {
            "boundaries": Bench("evaluation.fit_boundaries:run_fit_boundaries"),
            "fusion": Bench("evaluation.fit_fusion:run_fit_fusion", "embedded"),
            "present": Bench("evaluation.fit_present:run_fit_present", "embedded"),
            "answers": Bench("evaluation.fit_answers:run_fit_answers", "embedded"),
            "reader": Bench("evaluation.fit_reader:run_fit_reader"),
        },
    ),
    name="fit",
)
offline = {"import": Bench("evaluation.recording.commands:import_batch")}
app.add_typer(group("Models that answer by files, as batch APIs do.", offline), name="offline")
