"""A running chapter: what it records, and what it knows about its own run."""

import datetime
import json
import os
import re
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import zslib
from book.figures import figure
from book.keys import data_fingerprint, identify, run_key
from book.names import NAMES, called
from book.parameters import ChapterText, injected_names, refuse_unknown
from book.paths import PROGRESS, RUN_DIGESTS, RUN_DIRECTORY, RUN_KEY, layout, text_of
from book.provenance import RunCard, commit, machine, peak_memory, told_choices
from book.records import RESULT, clean_column, clean_value
from book.results import OverSets, Results
from book.shown import caption_of
from book.store import keep_run, published_records, write_records
from book.unfinished import check_writable
from zslib.arrays import resolve_device
from zslib.protocols.choices import Choices, install
from zslib.show.figures import style
from zslib.show.tables import NO_DATA, Column, Markdown, Table, escape

# Endings that tell two uses of the same images apart, and say nothing in a caption.
_ENDINGS = re.compile("_(attributes|classes|segments)$")

# What a run says of each data set.
_OF_DATA = ("name", "setting", "synthetic", "description", "checksum")


def start(name, *, parameters, results=None):
    """Start a chapter: set the figures' style, start the clock, open an empty record set.

    With the parameter ``tune=False`` settings are not chosen on validation data where the
    published run of the chapter chose them: they are read from beside its records.

    Parameters
    ----------
    name : str
        ``"hubness/02_hubness"``, the source's path under ``chapters`` without its ending.
    parameters : dict
        Every parameter of the chapter with its value; or the chapter's ``globals()``, from which
        they are taken.
    results : path, optional
        Folder for record sets; None: ``results`` of the book.

    Returns
    -------
    Chapter

    Raises
    ------
    ValueError
        When ``parameters`` or papermill have one that the chapter's source does not declare, or
        a value that it does not allow, or lack one; or the device is not "cpu", "gpu" or "auto".
    """
    place = layout()
    if "__builtins__" in parameters:
        declared = ChapterText.read(name, place).parameters
        refuse_unknown(declared, injected_names(parameters.get("In", ())), name)
        parameters = {k: parameters[k] for k in declared}
    style()
    return Chapter(name, parameters, place, results)


class Chapter:
    """Records of one run of a chapter; made by `start`.

    Attributes
    ----------
    name : str
    parameters : dict
    records : Results
        What was recorded so far.
    failed : dict
        Why a method could not be trained, by its name and the short name of the data.
    device : str
        ``"cpu"`` or ``"gpu"``, what the parameter ``device`` comes to on this machine.
    """

    def __init__(self, name, parameters, place, results):
        self.name = name
        self.parameters = dict(parameters)
        self.records = Results(chapter=self)
        self._recorded = {}
        self.device = resolve_device(self.parameters.get("device", "cpu"))
        self._place = place
        self._results = Path(results) if results is not None else place.results
        self._problems, self._skipped = {}, []
        self.failed = {}
        self._commit = commit(place.root)  # the sources may change while the chapter runs
        self._started = time.perf_counter()
        self._text = None
        if (place.chapters / f"{name}.md").is_file():
            self._text = ChapterText.read(name, place)
            self.parameters = self._text.settings(parameters)
            if lacking := [k for k in self.parameters if k not in parameters]:
                raise ValueError(f"parameters of {name} lack {', '.join(lacking)}: pass globals()")
            self._text.check_data(self.parameters)
        folder = os.environ.get(RUN_DIRECTORY)
        if folder is None:
            check_writable((self._results / name).absolute())
        anew = self.parameters.get("tune", True)
        chosen = [name, *(self._text.choices_of if self._text else ())]
        self._choices = Choices() if anew else Choices.read(*map(place.chosen, chosen))
        tell = folder and partial(Path(folder, PROGRESS).write_text, encoding="utf-8")
        install(self._choices, tell)

    def note(self, problem):
        """Note that the chapter uses this data; its records and its run then say which.

        Parameters
        ----------
        problem : MappingProblem
            Or anything with ``name``, ``setting``, ``synthetic``, ``description``, ``checksum``
            and ``coverage``.

        Returns
        -------
        problem
        """
        self._problems[problem.name] = problem
        return problem

    def record(
        self, *, metric, value, method=None, dataset=None, setting=None, seed=None, **columns
    ):
        """Append one number to the record set.

        Parameters
        ----------
        metric : str
            ``"P@1"``.
        value : number, bool or Estimate
            Finite. An estimate is kept with its interval in the columns ``low`` and ``high``, a
            `Spread` with its ``std``.
        method, dataset, setting : str, optional
            ``dataset`` may be the problem itself, or the name of one given to `note`: its setting
            and whether it is synthetic are then filled in.
        seed : int, optional
        **columns
            More columns: text, finite numbers, bools or None.

        Raises
        ------
        TypeError
            When the value is no number (None included), or a column's is neither text nor number.
        ValueError
            For NaN or infinity, or when the same columns were recorded with another value. (The
            same value again changes nothing, so that a cell can be run twice.)
        """
        if isinstance(dataset, OverSets):
            columns = {"over": "all sets", **self.joined(dataset.labels), **columns}
            dataset = columns.pop("dataset")
        if hasattr(dataset, "checksum"):
            dataset = self.note(dataset).name
        if (problem := self._problems.get(dataset)) is not None:
            setting = problem.setting if setting is None else setting
            columns = {"synthetic": problem.synthetic, **columns}
        if hasattr(value, "mean") and hasattr(value, "low"):
            spread = {} if value.low != value.low else {"low": value.low, "high": value.high}
            over = {"unit": value.unit, "n_units": value.n_units} if spread and value.unit else {}
            if getattr(value, "n_draws", 0):
                over["n_draws"] = value.n_draws
            columns |= spread | {"n_seeds": value.n_seeds} | over
            value = value.mean
        elif hasattr(value, "std") and not callable(value.std):  # a Spread, no NumPy number
            columns |= {} if value.std is None else {"std": value.std}
            value = value.mean
        record = {"metric": str(metric), "value": clean_value(value)}
        given = {"method": method, "dataset": dataset, "setting": setting, "seed": seed}
        record |= {k: clean_column(v, k) for k, v in given.items() if v is not None}
        record |= {k: clean_column(v, k) for k, v in columns.items()}
        identity = {name: v for name, v in record.items() if name not in RESULT}
        key = frozenset(identity.items())
        if key not in self._recorded:
            self._recorded[key] = record["value"]
            self.records.append(record)
        elif self._recorded[key] != record["value"]:
            raise ValueError(
                f"{identity} was recorded as {self._recorded[key]} and now as "
                f"{record['value']}: add a column that tells the two apart"
            )

    @property
    def seeds(self):
        """The seeds that the parameters ask for: ``n_seeds`` from ``seed`` on."""
        first = self.parameters["seed"]
        return range(first, first + self.parameters["n_seeds"])

    @property
    def options(self):
        """Those of seed, n_seeds, device and quick that the chapter has, as keywords."""
        known = ("seed", "n_seeds", "device", "quick")
        return {name: self.parameters[name] for name in known if name in self.parameters}

    def problems(self, setting, prepare=None, *, optional=False, **options):
        """The data sets of ``setting`` that the parameters name, each noted as used.

        Parameters
        ----------
        setting : str
            As in `zslib.datasets.load_problems`.
        prepare : callable, optional
            Makes of each problem the one that is used.
        optional : bool
            Whether there may be none, where the parameter names data of other settings.
        **options
            Of the loaders.
        """
        from zslib.datasets import load_problems
        from zslib.datasets.entry import ALL_SETTINGS
        from zslib.datasets.registry import served

        if prepare is not None and not callable(prepare):
            raise TypeError(
                f"prepare={prepare!r} must be a function of a problem, as unit_length; the data "
                "sets are those of the chapter's parameter dataset"
            )
        if optional and setting not in served(self.parameters["dataset"], ALL_SETTINGS):
            return []
        asked = {name: self.parameters[name] for name in ("seed", "quick")}
        problems = load_problems(setting, self.parameters["dataset"], **asked, **options)
        return [self.note(prepare(p) if prepare else p) for p in problems]

    def train(self, methods, problem, **options):
        """Tune, train and test methods on a problem, by `zslib.protocols.run_table`.

        One that no setting can train is left out. Tables have a row that says so, the run's card
        says why, and the claims that compare it are not testable.

        Returns
        -------
        dict of str to list of ZeroShotRun
            By the method's name, one run for each of the chapter's seeds.

        Raises
        ------
        ValueError
            Where none can be trained.
        """
        from zslib.protocols.attributes.methods import resolve_methods
        from zslib.protocols.attributes.runs import run_table
        from zslib.protocols.attributes.training import trainings

        calls = {
            method.name: partial(run_table, [method], problem, self.seeds, **options)
            for method in resolve_methods(methods)
        }
        trained, failed = trainings(calls)
        self.untrained(problem, failed, trained)
        return {name: table[name] for name, table in trained.items()}

    def untrained(self, problem, failed, trained):
        """Note why methods could not be trained on a problem, ``{method: why}``; others were."""
        if failed and not trained:
            raise ValueError("; ".join(failed.values()))
        for name, why in failed.items():
            self.failed[name, self.label(problem)] = why
            self.lacks([name], f"{name} could not be trained on {problem.name}")

    def lacks(self, names, why):
        """Say that this run has no results of these methods, or of all data, and why.

        Claims that name one of them, alone or in a difference, are then not testable here.
        """
        from book.papers.claims import claims_of, marks_in

        marks = [m for claim in claims_of(self.name) for m in marks_in(claim, self.name)]
        for name in names:
            word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
            for mark in marks:
                if any(word.search(mark.record.get(k, "")) for k in ("method", "metric")):
                    self.skip(why=why, **mark.record)

    @staticmethod
    def label(problem):
        """Short name of a problem, for captions, heads and legends."""
        name = _ENDINGS.sub("", problem.name).replace("_", "-")
        made_up = problem.synthetic and "synthetic" not in name
        return f"{name} (synthetic)" if made_up else name

    def called(self, problem):
        """Name of a problem in a sentence."""
        return called(self.label(problem))

    @property
    def chosen(self):
        """How many choices so far are the published run's, how many this one's, for captions."""
        return told_choices(self._choices.summary())

    @property
    def data(self):
        """Short names of all data in use."""
        return ", ".join(map(self.label, self._problems.values()))

    def joined(self, labels):
        """Columns that name several data sets at once."""
        used = [p for p in self._problems.values() if self.label(p) in labels]
        return {
            "dataset": " and ".join(p.name for p in used),
            "synthetic": any(p.synthetic for p in used),
        }

    def collect(self, rows, **columns):
        """Record rows of results and hand them on as `Results`.

        Parameters
        ----------
        rows : iterable of dict
            With ``metric``, ``value``, and what else `record` takes; ``dataset`` is a problem, its
            name, or that of `Results.mean`. A row whose value is None or text is shown and not
            recorded.
        **columns
            What all rows share.

        Returns
        -------
        Results
        """
        rows = [columns | row for row in rows]
        for row in rows:
            if row["value"] is not None and not isinstance(row["value"], str):
                self.record(**row)
        return self.rows(rows)

    def means(self, results, **columns):
        """Record the means of `Results.mean` and hand them on."""
        return self.collect(results.mean(**columns))

    def rows(self, rows, **columns):
        """Rows as `Results` that are shown and not recorded; problems become their short names."""
        shown = []
        for row in rows:
            row = columns | row
            data = row.get("dataset")
            problem = self._problems.get(getattr(data, "name", data))
            if problem:
                row = {"setting": problem.setting} | row | {"dataset": self.label(problem)}
            shown.append(row)
        return Results(shown, chapter=self)

    def published(self, **columns):
        """Records of the chapter's published run as `Results`, to be shown beside this run's.

        Empty where there is none. ``columns`` are given to all rows.
        """
        from zslib.protocols.intervals import Estimate

        rows = []
        for record in published_records(self.name, root=self._place.root) or ():
            row = {k: v for k, v in record.items() if k not in (*RESULT, "synthetic")} | columns
            if name := record.get("dataset"):
                made_up = record.get("synthetic", False)
                row["dataset"] = self.label(SimpleNamespace(name=name, synthetic=made_up))
            rows.append(row | {"value": Estimate.of(record)})
        return Results(rows, chapter=self)

    def measure(self, runs, measures, *, minus=(), methods=None, mean=False, **columns):
        """Estimate and record every measure of every method, and differences: `Results`.

        Parameters
        ----------
        runs : dict
            ``{problem: {method: one run per seed}}``.
        measures : dict
            ``{metric: estimate}``; ``estimate(runs, minus=None)`` gives an Estimate, of the paired
            difference where ``minus`` has the runs of another method.
        minus : sequence of (method, method), or dict
            Pairs whose differences are measured too, as the method "a - b", or by the dict's
            names.
        methods : sequence of str, optional
            Those that are measured by themselves; default: all.
        mean : bool
            Whether to add means over the data sets: see `Results.mean`.
        **columns
            More columns of the records.
        """
        rows = []
        named = minus if isinstance(minus, dict) else {f"{a} - {b}": (a, b) for a, b in minus}
        for problem, by_method in runs.items():
            pairs = {m: (m, None) for m in by_method if methods is None or m in methods}
            pairs |= {name: pair for name, pair in named.items() if set(pair) <= set(by_method)}
            for metric, estimate in measures.items():
                for method, (a, b) in pairs.items():
                    value = estimate(by_method[a], by_method[b] if b else None)
                    row = {"dataset": problem, "metric": metric, "method": method, "value": value}
                    rows.append(row | columns)
        results = self.collect(rows)
        return results + self.means(results) if mean else results

    def table(self, name, caption, rows, columns, *, data=None, folded=False):
        """`Table` whose caption names the data in use (or ``data``)."""
        caption = caption_of(caption, data or self.data, self)
        rows = [[NAMES.get(c, c) if isinstance(c, str) else c for c in row] for row in rows]
        return Table(name, caption, columns, rows, folded=folded)

    def figure(self, fig, name, caption, *, alt, data=None):
        """`figure` whose caption names the data in use (or ``data``)."""
        caption = caption_of(caption, data or self.data, self)
        for ax in fig.axes:
            ax.set_title(called(ax.get_title()))
        return figure(fig, name=name, caption=caption, alt=alt)

    def message(self, *sentences):
        """What a figure says, in bold: the first sentence whose numbers are recorded.

        A sentence has fields in braces, as those of a chapter's finding: see
        `book.build.opening.filled`.
        """
        from book.build.opening import answers

        texts = answers(self.name, sentences, self.records)[:1]
        return "".join(f"**{text[0].upper()}{text[1:]}** " for text in texts)

    def verdicts(self):
        """`Table` of the claims that name this chapter, held against its own records.

        Those that are not testable here share a row, at the end, by their reason.
        """
        from book.papers.effects import size
        from book.papers.verdicts import NOT_TESTABLE, chapter_verdicts, looks_again

        verdicts = chapter_verdicts(self.name, self.records)
        if not verdicts:
            raise ValueError(
                f"no claim names the chapter {self.name!r}: write one into its paper's "
                "chapters/<paper>/claims.toml, or leave out chapter.verdicts()"
            )
        rows, untested = [], {}
        for v in verdicts:
            why = self._excuse(v) or v.why
            if v.verdict == NOT_TESTABLE:
                untested.setdefault(why, []).append(v.claim.says)
                continue
            where = ", ".join(filter(None, (v.claim.setting, v.claim.where, v.claim.note)))
            word = ", ".join(filter(None, (f"**{v.verdict}**", size(v))))
            verdict = Markdown(f"{word}: {escape(why)}" if why else word)
            printed = None if v.paper_value == NO_DATA else v.paper_value
            rows.append(
                [f"{v.claim.says} ({where})", printed, v.found and called(v.found), verdict]
            )
        for why, claims in untested.items():
            what = claims[0] if len(claims) == 1 else f"{len(claims)} claims more"
            rows.append([what, None, None, Markdown(f"**{NOT_TESTABLE}**: {escape(why)}")])
        for v in looks_again(self.name, self.records):
            if v.verdict != NOT_TESTABLE:
                what = f"{v.claim.headline}: another look, {v.mark.name}"
                verdict = Markdown(f"{v.verdict} here; judged in {{doc}}`/{v.claim.chapter}`")
                rows.append([what, None, v.found and called(v.found), verdict])
        heads = ["claim", Column("paper", align="right"), Column("ours", align="right"), "verdict"]
        n = len(verdicts)
        caption = f"The {n} claim{'s' * (n > 1)} of this chapter, held against this run"
        return self.table(verdicts_label(self.name), caption, rows, heads, folded=True)

    def _excuse(self, verdict):
        """Why this run cannot give what a claim asks for, as `skip` was told, or None."""
        asked = verdict.mark.record.items()
        reasons = (why for fields, why in self._skipped if fields.items() <= asked)
        return next(reasons, None) if verdict.value is None else None

    def coverage(self, *, name, caption):
        """`Table` of the data in use: what each is, and what was listed, found and dropped.

        Raises
        ------
        ValueError
            Before any problem was given to `note`.
        """
        if not self._problems:
            raise ValueError("no data in use yet: call chapter.note(problem) first")
        rows = []
        for problem in self._problems.values():
            rows.append([problem.name, "description", problem.description])
            rows += [[problem.name, key, value] for key, value in problem.coverage.items()]
            rows.append([problem.name, "checksum (SHA-256)", problem.checksum[:16] + "…"])
        return Table(name, caption, ["data", "what", "value"], rows)

    def skip(self, *, why, **columns):
        """Say that this run cannot write the records with these columns, and why.

        Claims that ask for them are then not testable here. Without it `finish` takes a record
        that a claim asks for and the run lacks for a mistake.
        """
        self._skipped.append((columns, why))

    def finish(self):
        """Write the record set and say, in one table, how it came about.

        Writes ``records.jsonl``, ``run.json``, and ``chosen.json`` where settings were chosen on
        validation data, to ``results/<chapter>/<key>/``: all or nothing, by renaming a finished
        folder.

        Returns
        -------
        RunCard
            Shows version, data, parameters, machine and times, as a chapter's last output.

        Raises
        ------
        ValueError
            When a claim of this chapter asks for a record that was neither written nor skipped, or
            settings were chosen and the chapter has no parameter ``tune``.
        """
        from book.papers import check_records

        check_records(self.name, self.records, [fields for fields, _ in self._skipped])
        run = self._run()
        if self._text is not None and "choices" in run and "tune" not in self.parameters:
            raise ValueError(
                f"{self.name} chooses settings on validation data: declare `tune: bool = False` "
                "among its parameters"
            )
        if folder := os.environ.get(RUN_DIRECTORY):
            write_records(folder, self.records, run, self._chosen(run))
        else:
            folder = self._results / self.name
            keep_run(folder, run["key"], self.records, run, self._chosen(run))
        install(None)
        self.records.run = run
        return RunCard(run)

    def _chosen(self, run):
        """The text of ``chosen.json``, or None where nothing was chosen."""
        about = {"date": run["date"][:10], "parameters": self.parameters}
        about["data"] = [problem["name"] for problem in run["data"]]
        return self._choices.text(**about) if "choices" in run else None

    def _identity(self):
        """Key and digests, from the runner, or such as it would give to this run."""
        if key := os.environ.get(RUN_KEY):
            return key, json.loads(os.environ.get(RUN_DIGESTS, "{}"))
        if self._text is None:
            fingerprint = data_fingerprint(self.parameters)
            return run_key(self.name, "", self.parameters, fingerprint, {}), {}
        keys = {}
        for name in self._text.depends:
            latest = self._place.results / name / "latest"
            keys[name] = text_of(latest).strip() or None
        return identify(self._text, self.parameters, keys, self._place)

    def _run(self):
        from zslib.datasets.entry import SETTINGS
        from zslib.datasets.registry import missing

        key, digests = self._identity()
        choices = self._choices.summary()
        settings = self._text and self._text.data_settings
        absent = missing(self.parameters.get("dataset"), settings or SETTINGS)
        failed = [f"{name} on {data}: {why}" for (name, data), why in self.failed.items()]
        return {
            "chapter": self.name,
            "key": key,
            "digests": digests,
            "version": zslib.__version__,
            "commit": self._commit,
            "parameters": self.parameters,
            "data": [{k: getattr(p, k) for k in _OF_DATA} for p in self._problems.values()],
            **({"missing": absent} if absent else {}),
            **({"choices": choices} if any(choices.values()) else {}),
            "skipped": [fields | {"why": why} for fields, why in self._skipped],
            **({"failed": failed} if failed else {}),
            "device": self.device,
            "wall_seconds": round(time.perf_counter() - self._started, 2),
            "peak_memory_mib": peak_memory(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": machine(self.device),
        }


def verdicts_label(chapter):
    """Label of the table that `Chapter.verdicts` shows."""
    paper, page = chapter.split("/")
    return f"tbl-{paper}-claims-{int(page[:2])}"
