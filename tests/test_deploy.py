"""What deploy/ promises: as far as it can be read here, and run where that needs no engine and no cluster.

Neither a container engine nor a Kubernetes cluster is at hand in the tests. So the files are parsed, and held to rules:
versions pinned, nobody root, probes that are commands of ours, volumes that are there. Their health checks are run.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.parts import REPOSITORY
from wireroom import open_app
from wireroom.app.holders import holder_name
from wireroom.cli import main
from wireroom.ports import RunRecord
from wireroom.version import __version__

DEPLOY = REPOSITORY / "deploy"
UNITS = ("wireroom.service", "wireroom-run@.service")
COMPOSE = ("compose.yaml", "compose.postgres.yaml")
ALIVE = ["wireroom", "status", "--alive"]
PINNED = re.compile(r"(?:python|postgres):\d+\.\d+(?:\.\d+)?-(?:slim-)?bookworm")
AWAY = "postgresql://desk@127.0.0.1:1/news"


def documents(name: str) -> list[Any]:
    return list(import_module("yaml").safe_load_all((DEPLOY / name).read_text("utf-8")))


def assert_pinned(image: str) -> None:
    assert image == f"wireroom:{__version__}" or PINNED.fullmatch(image), image


# --- systemd -----------------------------------------------------------------------------------------


def service(name: str) -> dict[str, str]:
    parser = ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    parser.read(DEPLOY / name, encoding="utf-8")
    return dict(parser["Service"])


@pytest.mark.parametrize("unit", UNITS)
def test_a_stop_has_more_time_than_a_run_needs(unit: str) -> None:
    assert service(unit)["KillSignal"] == "SIGTERM"
    assert int(service(unit)["TimeoutStopSec"]) > 10


@pytest.mark.parametrize("unit", UNITS)
def test_it_may_do_nothing_it_does_not_need(unit: str) -> None:
    found = service(unit)
    assert found["NoNewPrivileges"] == found["DynamicUser"] == "yes"
    assert found["ProtectSystem"] == "strict"
    assert found["CapabilityBoundingSet"] == ""


@pytest.mark.parametrize(
    ("unit", "what"), [(UNITS[0], "."), ("wireroom-run@.service", "'.[postgres]'")]
)
def test_it_says_how_its_program_comes_there(unit: str, what: str) -> None:
    text = (DEPLOY / unit).read_text("utf-8")
    place = service(unit)["ExecStart"].split()[0].removesuffix("/bin/wireroom")
    assert f"python3 -m venv {place} && {place}/bin/pip install {what}\n" in text


@pytest.mark.parametrize("unit", UNITS)
def test_its_command_is_one_of_ours(unit: str) -> None:
    words = service(unit)["ExecStart"].split()
    assert words[0].endswith("/wireroom")
    assert words[1] == "run"


def test_each_of_several_runs_has_a_folder_of_its_own_and_the_password_is_in_no_command() -> None:
    found = service("wireroom-run@.service")
    assert found["StateDirectory"].endswith("/%i")
    assert found["EnvironmentFile"] == "/etc/wireroom/run.env"
    assert "postgres" not in found["ExecStart"]
    assert "ProtectProc" not in found  # else a run could not see that its neighbour was killed


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there")
@pytest.mark.parametrize(
    "unit", ["wireroom.service", "wireroom-run@3.service", "wireroom-runs.target"]
)
def test_systemd_understands_it(unit: str, tmp_path: Path) -> None:
    for file in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.target")):
        text = file.read_text("utf-8").replace("/opt/wireroom/bin/wireroom", "/bin/true")
        (tmp_path / file.name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "wireroom" not in done.stderr, done.stderr


# --- the image ---------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each on one line."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    pairs = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [(name, value) for name, value in pairs]


def of_kind(name: str) -> list[str]:
    return [value for kind, value in instructions() if kind == name]


def test_every_stage_begins_with_a_pinned_image_and_the_last_is_not_root() -> None:
    for image in of_kind("FROM"):
        assert_pinned(image.split()[0])
    last = [kind for kind, _ in instructions()][::-1].index("FROM")
    after = dict(instructions()[-last:])
    assert after["USER"] == "10001:10001"
    assert after["VOLUME"] == after["WORKDIR"] == "/data"
    assert after["STOPSIGNAL"] == "SIGTERM"
    assert "--owner=10001" in after["RUN"]
    assert "/data" in after["RUN"]


def test_programs_get_their_signals_and_the_health_check_is_ours() -> None:
    assert json.loads(of_kind("ENTRYPOINT")[0]) == ["wireroom"]  # no shell between it and SIGTERM
    assert json.loads(of_kind("CMD")[0]) == ["run"]
    options, _, command = of_kind("HEALTHCHECK")[0].partition("CMD ")
    assert json.loads(command) == ALIVE
    assert {word.partition("=")[0] for word in options.split()} == {
        "--interval", "--timeout", "--start-period", "--retries",
    }  # fmt: skip


def test_what_is_installed_is_locked_with_hashes() -> None:
    assert not of_kind("ADD")
    installs = [part for run in of_kind("RUN") for part in run.split("&&") if "pip install" in part]
    assert len(installs) == 3
    for install in installs:
        assert "--no-cache-dir" in install
        assert "--require-hashes" in install or "--no-deps --no-build-isolation ." in install
    locked = (REPOSITORY / "locks" / "deploy.txt").read_text("utf-8")
    pinned = [line for line in locked.splitlines() if line and not line.startswith((" ", "#"))]
    assert all("==" in line for line in pinned)
    assert {"psycopg", "pyarrow", "fastwarc"} <= {line.partition("==")[0] for line in pinned}


def test_what_is_copied_is_there_and_let_through() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "*"
    copied = [words for words in map(str.split, of_kind("COPY")) if not words[0].startswith("--")]
    for source in (source for *sources, _ in copied for source in sources):
        assert (REPOSITORY / source).exists(), source
        assert f"!{source}" in ignored, source


# --- compose -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPOSE)
def test_compose_services_are_pinned_and_confined(name: str) -> None:
    (composed,) = documents(name)
    for each in composed["services"].values():
        assert_pinned(each["image"])
        assert each["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in each
        assert "ports" not in each
        volumes = [volume.partition(":")[0] for volume in each["volumes"]]
        assert {volume for volume in volumes if volume[0] != "."} <= set(composed["volumes"])
    run = composed["services"]["run"]
    assert run["read_only"]
    assert run["cap_drop"] == ["ALL"]
    assert run["build"] == {"context": "..", "dockerfile": "deploy/Dockerfile"}
    assert int(run["stop_grace_period"].removesuffix("s")) > 10
    assert "healthcheck" not in run  # that of the image holds


def test_sqlite_is_one_run_with_a_volume() -> None:
    (composed,) = documents("compose.yaml")
    assert list(composed["services"]) == ["run"]
    run = composed["services"]["run"]
    assert "deploy" not in run
    assert "data:/data" in run["volumes"]
    assert run["environment"]["WIREROOM_DATABASE_URL"] == "sqlite:////data/wireroom.db"


def test_postgres_has_three_runs_that_wait_for_it_and_nobody_else_reaches_it() -> None:
    (composed,) = documents("compose.postgres.yaml")
    run, database = composed["services"]["run"], composed["services"]["database"]
    assert run["deploy"] == {"replicas": 3}
    assert "container_name" not in run
    assert run["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert database["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert database["networks"] == ["inside"]
    assert composed["networks"]["inside"] == {"internal": True}
    for password in (
        database["environment"]["POSTGRES_PASSWORD"],
        run["environment"]["PGPASSWORD"],
    ):
        assert password.startswith("${POSTGRES_PASSWORD:?")  # asked for, never written down


# --- Kubernetes --------------------------------------------------------------------------------------


def pod() -> dict[str, Any]:
    settings, deployment = documents("kubernetes.yaml")
    assert (settings["kind"], deployment["kind"]) == ("ConfigMap", "Deployment")
    spec = deployment["spec"]
    assert spec["replicas"] == 3
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    found: dict[str, Any] = spec["template"]["spec"]
    return found


def test_pods_are_confined_and_have_what_they_mount() -> None:
    found = pod()
    (container,) = found["containers"]
    assert_pinned(container["image"])
    assert found["securityContext"]["runAsNonRoot"] is True
    assert found["securityContext"]["runAsUser"] == 10001
    assert found["automountServiceAccountToken"] is False
    assert found["terminationGracePeriodSeconds"] > 10
    own = container["securityContext"]
    assert (own["allowPrivilegeEscalation"], own["readOnlyRootFilesystem"]) == (False, True)
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert {"memory"} <= container["resources"]["limits"].keys()
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts.keys() == {volume["name"] for volume in found["volumes"]}
    assert {"/data", "/tmp", "/etc/wireroom"} == set(mounts.values())
    (password,) = (each for each in container["env"] if each["name"] == "PGPASSWORD")
    assert "value" not in password


def test_probes_ask_for_the_run_and_have_time_to() -> None:
    (container,) = pod()["containers"]
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[name]["timeoutSeconds"] >= 20  # a server that is away is given up after 10
    assert container["startupProbe"]["exec"]["command"] == ALIVE
    assert container["readinessProbe"]["exec"]["command"] == ALIVE


def liveness(folder: Path, database: str) -> int:
    """The exit code of the liveness probe, run as it stands."""
    (container,) = pod()["containers"]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environ = {"PATH": path, "WIREROOM_DATABASE_URL": database, "HOME": str(folder)}
    command = container["livenessProbe"]["exec"]["command"]
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, check=False
    ).returncode


@pytest.mark.long
def test_a_pod_is_begun_anew_when_its_run_is_gone_and_not_when_the_database_is(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{tmp_path}/w.db"
    with open_app(database) as app:
        assert liveness(tmp_path, database) == 1
        now = app.clock()
        app.store.queue.save_run(RunRecord(holder=holder_name(), began_at=now, seen_at=now))
    assert liveness(tmp_path, database) == 0
    assert liveness(tmp_path, AWAY) == 0


# --- settings ----------------------------------------------------------------------------------------


def environments() -> Iterator[dict[str, str]]:
    """What every container is told of the settings."""
    for name in COMPOSE:
        yield documents(name)[0]["services"]["run"]["environment"]
    (container,) = pod()["containers"]
    yield {each["name"]: each["value"] for each in container["env"] if "value" in each}


def test_settings_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = (DEPLOY / "wireroom.example.toml").read_text("utf-8")
    texts = [example, documents("kubernetes.yaml")[0]["data"]["wireroom.toml"]]
    file = tmp_path / "settings.toml"
    for text in texts:
        for environ in environments():
            assert environ["WIREROOM_CONFIG"] == "/etc/wireroom/wireroom.toml"
            file.write_text(text, "utf-8")
            monkeypatch.setenv("WIREROOM_CONFIG", str(file))
            monkeypatch.setenv("WIREROOM_DATABASE_URL", environ["WIREROOM_DATABASE_URL"])
            assert main(["config", "show"]) == 0
