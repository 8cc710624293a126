"""A single-node OpenSearch with k-NN (Lucene engine), neural-search and CJK analysis, run from jars of Maven Central.

Needs a JDK (17 or newer, with javac) and Maven. ``java/mneme/testing/Launch.java`` starts the same Node class as the
distribution, from a directory laid out like its home: lib, config, modules and plugins.
"""

import hashlib
import json
import os
import shutil
import subprocess
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.servers.process import Server, cache_directory, exclusive, fetch_jars, free_port

VERSION = "2.19.1"
_RECIPE = Path(__file__).parent / "opensearch"
_POM = _RECIPE / "pom.xml"
_JAVA = _RECIPE / "java" / "mneme" / "testing"


@dataclass(frozen=True)
class _Module:
    """A part with its own class loader: its jars must not also be on the class path."""

    name: str
    classname: str
    jars: tuple[str, ...]
    extends: str = ""

    def descriptor(self) -> str:
        """The plugin-descriptor.properties that the node reads."""
        return (
            f"name={self.name}\ndescription={self.name}\nversion={VERSION}\nopensearch.version={VERSION}\n"
            f"java.version=11\nclassname={self.classname}\ncustom.foldername=\nextended.plugins={self.extends}\n"
            "has.native.controller=false\n"
        )


_MODULES = (
    _Module("transport-netty4", "org.opensearch.transport.Netty4Plugin", ("transport-netty4-client-", "netty-")),
    _Module(
        "analysis-common",
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        ("analysis-common-",),
        extends="lang-painless",
    ),
    _Module(
        "lang-painless",
        "org.opensearch.painless.PainlessPlugin",
        ("lang-painless-", "antlr4-runtime-", "asm-", "opensearch-scripting-painless-spi-"),
    ),
    _Module("mapper-extras", "org.opensearch.index.mapper.MapperExtrasPlugin", ("mapper-extras-client-",)),
    _Module("parent-join", "org.opensearch.join.ParentJoinPlugin", ("parent-join-client-",)),
    _Module(
        "reindex",
        "org.opensearch.index.reindex.ReindexPlugin",
        (
            "reindex-client-",
            "opensearch-rest-client-",
            "opensearch-ssl-config-",
            "http",
            "commons-codec-",
            "commons-logging-",
        ),
    ),
    _Module(
        "ingest-common",
        "org.opensearch.ingest.common.IngestCommonPlugin",
        ("ingest-common-", "opensearch-grok-", "opensearch-dissect-", "joni-", "jcodings-"),
        extends="lang-painless",
    ),
)
_CJK = _Module(
    "cjk-analysis",
    "mneme.testing.CjkAnalysisPlugin",
    (
        "lucene-analysis-icu-",
        "lucene-analysis-smartcn-",
        "lucene-analysis-kuromoji-",
        "lucene-analysis-nori-",
        "icu4j-",
    ),
)
_PLUGIN_ZIPS = {"opensearch-knn-": "opensearch-knn", "neural-search-": "opensearch-neural-search"}

_LOGGING = """status = error
appender.c.type = Console
appender.c.name = c
appender.c.layout.type = PatternLayout
appender.c.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1.} %m%n
rootLogger.level = ${sys:os.log:-warn}
rootLogger.appenderRef.c.ref = c
"""


def prepare() -> Path:
    """Fetch the jars and lay out the node's home unless that is done, and return the home.

    The first node dumps a class-data archive when it ends, which halves the start of later ones.
    """
    recipe = hashlib.sha256()
    for file in (_POM, *sorted(_JAVA.glob("*.java")), Path(__file__)):
        recipe.update(file.read_bytes())
    jars = cache_directory() / f"opensearch-jars-{hashlib.sha256(_POM.read_bytes()).hexdigest()[:12]}"
    home = cache_directory() / f"opensearch-{recipe.hexdigest()[:12]}"
    with exclusive(jars):
        if not (jars / "READY").exists():
            fetch_jars(_POM, jars)
            (jars / "READY").touch()
        if not (home / "READY").exists():
            shutil.rmtree(home, ignore_errors=True)
            _lay_out(jars, home)
            trial = OpenSearchServer(java_options=[f"-XX:ArchiveClassesAtExit={home / 'classes.jsa'}"], home=home)
            try:
                trial.start()
                trial.stop(grace=60)
            finally:
                trial.kill()
                trial.wipe()
            (home / "READY").touch()
    return home


def _lay_out(jars: Path, home: Path) -> None:
    library, plugins = home / "lib", home / "plugins"
    cjk = plugins / _CJK.name
    folders = {module: home / "modules" / module.name for module in _MODULES} | {_CJK: cjk}
    for folder in (library, home / "config", *folders.values()):
        folder.mkdir(parents=True)
    for module, folder in folders.items():
        (folder / "plugin-descriptor.properties").write_text(module.descriptor())
    for archive in sorted(jars.glob("*.zip")):
        plugin = next(name for prefix, name in _PLUGIN_ZIPS.items() if archive.name.startswith(prefix))
        with zipfile.ZipFile(archive) as content:
            content.extractall(plugins / plugin)
    for jar in sorted(jars.glob("*.jar")):
        folder = next((folder for module, folder in folders.items() if jar.name.startswith(module.jars)), library)
        os.link(jar, folder / jar.name)
    _compile(_JAVA / "Launch.java", f"{library}/*", library / "mneme-launch.jar")
    _compile(_JAVA / "CjkAnalysisPlugin.java", f"{library}/*:{cjk}/*", cjk / "cjk-analysis.jar")
    (home / "config" / "opensearch.yml").touch()
    (home / "config" / "log4j2.properties").write_text(_LOGGING)


def _compile(source: Path, class_path: str, jar: Path) -> None:
    classes = jar.with_suffix(".classes")
    subprocess.run(["javac", "-nowarn", "-cp", class_path, "-d", str(classes), str(source)], check=True)
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, file.relative_to(classes))
    shutil.rmtree(classes)


class OpenSearchServer(Server):
    """A cluster of one node. ``settings`` are added to those of the node."""

    name = "opensearch"

    def __init__(
        self,
        port: int = 0,
        data: Path | None = None,
        settings: Mapping[str, object] | None = None,
        heap: str = "1g",
        java_options: Sequence[str] = (),
        detached: bool = False,
        home: Path | None = None,
    ) -> None:
        super().__init__(port, data, java_options, detached)
        self.heap = heap
        self.settings = dict(settings or {})
        self._transport_port = free_port()
        self._home = home

    @property
    def url(self) -> str:
        """Its address, as clients need it."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """Return the node's command; its settings are words of it."""
        home = self._home or prepare()
        (self.data / "tmp").mkdir(exist_ok=True)
        archive = home / "classes.jsa"
        # the serial collector takes a fifth less of the processor for a node that lives for some tests, and 300 MB less memory
        collector = "-XX:+UseG1GC" if self.detached else "-XX:+UseSerialGC"
        java = ["java", "-Xms256m", f"-Xmx{self.heap}", collector, "-XX:MaxDirectMemorySize=256m"]
        java += [f"-Djava.io.tmpdir={self.data / 'tmp'}", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8"]
        java += ["-Djava.locale.providers=SPI,COMPAT", "-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true"]
        java += ["-Dio.netty.recycler.maxCapacityPerThread=0", "-Dio.netty.allocator.numDirectArenas=0"]
        java += ["-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true"]
        java += [f"-Dlog4j2.configurationFile={home / 'config' / 'log4j2.properties'}"]
        java += [f"-Dos.log={os.environ.get('OPENSEARCH_LOG', 'warn')}"]
        java += [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
        java += [
            *self.compiler_options,
            *self.java_options,
            "-cp",
            ":".join(str(jar) for jar in sorted((home / "lib").iterdir())),
        ]
        settings = [f"{name}={value}" for name, value in self._settings().items()]
        return [*java, "mneme.testing.Launch", str(home), *settings]

    def ready(self) -> bool:
        """Whether it answers and its indices can be written to."""
        try:
            with urllib.request.urlopen(f"{self.url}/_cluster/health", timeout=2) as response:
                return json.load(response)["status"] in ("green", "yellow")
        except (OSError, ValueError, KeyError):
            return False

    def _settings(self) -> dict[str, object]:
        return {
            "cluster.name": "mneme-tests",
            "node.name": "n1",
            "discovery.type": "single-node",
            "network.host": "127.0.0.1",
            "http.port": self.port,
            "transport.port": self._transport_port,
            "path.data": self.data / "data",
            "path.logs": self.data / "logs",
            "path.repo": self.data / "repo",
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            "action.auto_create_index": "false",
            "action.destructive_requires_name": "true",
            **self.settings,
        }
