"""The parts of deploy/check that look into files. Run by it, from the repository's root: check.py WHAT [FILE]."""

import json
import pathlib
import re
import sys

import yaml

DEPLOY = pathlib.Path("deploy")
RULES = DEPLOY / "prometheus/rules.yaml"
PROMETHEUS_RULE = DEPLOY / "kubernetes/components/prometheus-operator/prometheusrule.yaml"
OPERATING = pathlib.Path("docs/operating.md")
NAME = "combo-consumer"
# Prometheus' own.
OWN_METRICS = {"up", "ALERTS"}
faults = []


class Loader(yaml.SafeLoader):
    """Refuses a key that occurs twice, of which YAML's parsers silently take one."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"the key {key!r} occurs twice, line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


def documents(path):
    with open(path, encoding="utf-8") as file:
        return [document for document in yaml.load_all(file, Loader) if document is not None]


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def parse():
    for path in sorted(DEPLOY.rglob("*")):
        try:
            if path.suffix in (".yaml", ".yml"):
                if not documents(path):
                    faults.append(f"{path}: nothing is in it")
            elif path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
        except (yaml.YAMLError, ValueError) as error:
            faults.append(f"{path}: {error}")


def listed():
    """The metrics of docs/schemas/metrics.tsv, which a test compares with the program's table, and the series of histograms."""
    names = set()
    for line in pathlib.Path("docs/schemas/metrics.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, kind, _ = line.split("\t")
        names |= {name + end for end in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}
    return names


def used_in(expression):
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    bare = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", bare)
    bare = re.sub(r"\{[^}]*\}", " ", bare)
    return set(re.findall(r"\b(combo_[a-z0-9_]+)\b", bare)) | ({"up"} & set(re.findall(r"\b[a-z_]+\b", bare)))


def panels(dashboard):
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def metrics():
    known = listed() | OWN_METRICS
    if len(known) < 50:
        faults.append(f"docs/schemas/metrics.tsv: only {len(known)} metrics were found in it")
    seen = set()

    def look(where, expression):
        names = used_in(expression)
        if not names:
            faults.append(f"{where}: no metric is in {expression!r}")
        seen.update(names)
        for name in sorted(names - known):
            faults.append(f"{where}: there is no metric {name}")

    for group in documents(RULES)[0]["groups"]:
        for rule in group["rules"]:
            look(f"{RULES}, {rule['alert']}", rule["expr"])
    for series in re.findall(r"series: '([a-z_]+)", (DEPLOY / "prometheus/rules.test.yaml").read_text(encoding="utf-8")):
        look("rules.test.yaml", series)
    for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        ids = [panel["id"] for panel in panels(dashboard)]
        if len(ids) != len(set(ids)):
            faults.append(f"{path}: two panels have one id")
        for panel in panels(dashboard):
            for target in panel.get("targets", []):
                look(f"{path}, {panel['title']}", target["expr"])
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                look(f"{path}, variable {variable['name']}", variable["definition"])
    print(f"{len(seen)} of {len(known)} metrics are used")


def prometheus_rule():
    groups = documents(RULES)[0]["groups"]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": NAME, "labels": {"app.kubernetes.io/name": NAME}},
        "spec": {"groups": groups},
    }


def write_rules():
    head = "# Made from prometheus/rules.yaml by `deploy/check --write`: change that.\n"
    text = yaml.safe_dump(prometheus_rule(), sort_keys=False, allow_unicode=True, width=130)
    PROMETHEUS_RULE.write_text(head + text, encoding="utf-8")
    before, _, after = alert_page()
    OPERATING.write_text(before + alert_table() + after, encoding="utf-8")


def rules():
    if documents(PROMETHEUS_RULE) != [prometheus_rule()]:
        faults.append(f"{PROMETHEUS_RULE} is not what {RULES} says: run deploy/check --write")


def dashboard_queries():
    for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json")):
        for panel in panels(json.loads(path.read_text(encoding="utf-8"))):
            for target in panel.get("targets", []):
                yield f"{path}, {panel['title']}", target["expr"]


def queries(rules_file):
    """Writes the dashboard's queries as recording rules, for promtool to read."""
    rules = []
    for number, (_, query) in enumerate(dashboard_queries()):
        for variable, value in (("$__rate_interval", "5m"), ("$__range", "1h"), ("$__interval", "1m")):
            query = query.replace(variable, value)
        rules.append({"record": f"query:{number}", "expr": query})
    pathlib.Path(rules_file).write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")


def live(page_file):
    """Holds rules and dashboard against what a service says at /metrics: names, and the labels that they select and group by."""
    labels = {}
    for name, text in re.findall(r"^([a-z0-9_]+)(?:\{(.*)\})? \S+$", pathlib.Path(page_file).read_text(encoding="utf-8"), re.M):
        labels.setdefault(name, set()).update(re.findall(r'([a-z_]+)="', text))
    scraped = {"job", "instance", "namespace"}
    rules = [(f"{RULES}, {rule['alert']}", rule["expr"]) for group in documents(RULES)[0]["groups"] for rule in group["rules"]]
    looked = 0
    for where, query in rules + list(dashboard_queries()):
        looked += 1
        everywhere = scraped.copy()
        for name in used_in(query) - OWN_METRICS:
            if name not in labels:
                faults.append(f"{where}: {name} is not in the page")
            everywhere |= labels.get(name, set())
        for name, selector in re.findall(r"\b(combo_[a-z0-9_]+)\{([^}]*)\}", query):
            for label in re.findall(r'([a-z_]+)\s*[=!]~?"', selector.replace("\\", "")):
                if label not in scraped | labels.get(name, set()):
                    faults.append(f"{where}: {name} has no label {label}")
        for listed_labels in re.findall(r"\bby\s*\(([^)]*)\)", query):
            for label in re.findall(r"[a-z_]+", listed_labels):
                if label not in everywhere:
                    faults.append(f"{where}: nothing in it has the label {label}")
    print(f"{looked} queries, {len(labels)} metrics")


def alert_table():
    rows = ["| alert | severity | what to do |", "| --- | --- | --- |"]
    for group in documents(RULES)[0]["groups"]:
        for rule in group["rules"]:
            annotations = rule["annotations"]
            anchor = annotations["runbook_url"].split("#")[1]
            text = re.sub(r"\{\{.*?\}\}", "N", annotations["description"])
            runbook = "" if anchor == "alerts" else f" [Runbook](#{anchor})"
            rows.append(f"| `{rule['alert']}` | {rule['labels']['severity']} | {text}{runbook} |")
    return "\n\n" + "\n".join(rows) + "\n\n"


def alert_page():
    """The page's text before, in and after the table of alerts."""
    return re.split(r"(?s)(?<=<!-- alerts: made by deploy/check --write -->)(.*?)(?=<!-- end of alerts -->)",
                    OPERATING.read_text(encoding="utf-8"))


def alerts():
    names = [rule["alert"] for group in documents(RULES)[0]["groups"] for rule in group["rules"]]
    tests = documents(DEPLOY / "prometheus/rules.test.yaml")[0]["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"]]
    for name in names:
        if not any(case["alertname"] == name and case["exp_alerts"] for case in cases):
            faults.append(f"no test sets off {name}")
        if not any(case["alertname"] == name and not case["exp_alerts"] for case in cases):
            faults.append(f"no test keeps {name} quiet")
    for case in cases:
        if case["alertname"] not in names:
            faults.append(f"rules.test.yaml tests {case['alertname']}, which is no alert")
    page = alert_page()
    if len(page) != 3 or page[1] != alert_table():
        faults.append(f"the alerts in {OPERATING} are not those of {RULES}: run deploy/check --write")
    for anchor in set(re.findall(r"operating\.md#([a-z-]+)", RULES.read_text(encoding="utf-8"))):
        headings = [heading.lower() for heading in re.findall(r"(?m)^#+ (.*)$", "".join(page))]
        if anchor not in [re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings]:
            faults.append(f"{OPERATING} has no heading #{anchor}, which {RULES} names")


def options(help_file):
    text = pathlib.Path(help_file).read_text(encoding="utf-8")
    known = set(re.findall(r"^  --([a-z-]+)", text, re.M)) | {"help", "version"}
    for path in sorted(DEPLOY.rglob("*")):
        if path.suffix not in (".yaml", ".service", ".env", ".conf", ".md"):
            continue
        for variable in re.findall(r"\bCOMBO_[A-Z_]+\b", path.read_text(encoding="utf-8")):
            if variable.removeprefix("COMBO_").lower().replace("_", "-") not in known:
                faults.append(f"{path}: {variable} is no option")

    def look(where, words):
        for word in words:
            match = re.match(r"--([a-z-]+)", word)
            if match and match[1] not in known:
                faults.append(f"{where}: {word} is no option")

    for name, service in documents(DEPLOY / "compose.yaml")[0]["services"].items():
        if service["image"] == NAME:
            look(f"compose.yaml, {name}", service["command"])
    for container in documents(DEPLOY / "kubernetes/base/statefulset.yaml")[0]["spec"]["template"]["spec"]["containers"]:
        look("statefulset.yaml", container["args"])


# Debian 13's package of each library that the program may be linked with; None: it is in the image, or comes with another one.
PACKAGES = {
    "librdkafka": "librdkafka1", "libmicrohttpd": "libmicrohttpd12t64", "libsimdjson": "libsimdjson25", "libxxhash": "libxxhash0",
    "libstdc++": "libstdc++6", "libjemalloc": "libjemalloc2", "libsqlite3": "libsqlite3-0", "libwebsockets": "libwebsockets19t64", "libz": "zlib1g",
}
BROUGHT_ALONG = (
    "linux-vdso", "ld-linux", "libc", "libm", "libgcc_s", "liblz4", "libzstd", "libsasl2", "libssl", "libcrypto",
    "libgnutls", "libp11-kit", "libidn2", "libunistring", "libtasn1", "libnettle", "libhogweed", "libgmp", "libffi", "libcurl", "libcap", "libdl", "libpthread",
    # What Debian 13's librdkafka1 needs for curl.
    "libnghttp2", "libnghttp3", "librtmp", "libssh2", "libpsl", "libldap", "liblber", "libbrotlidec", "libbrotlicommon", "libgssapi_krb5",
    "libkrb5", "libkrb5support", "libk5crypto", "libcom_err", "libkeyutils", "libresolv",
)
# Linked in statically by the image's build.
STATIC = ("libswift", "libdispatch", "libBlocksRuntime", "lib_")


def libraries(ldd_file):
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    run_stage = dockerfile[dockerfile.rindex("\nFROM "):]
    for library in re.findall(r"^\s*(?:/\S*/)?(\S+?)\.so", pathlib.Path(ldd_file).read_text(encoding="utf-8"), re.M):
        package = PACKAGES.get(library)
        if package is not None:
            if not re.search(rf"(?<!\S){re.escape(package)}(?!\S)", run_stage):
                faults.append(f"Dockerfile: the run stage does not install {package}, for {library}")
        elif not library.startswith(STATIC) and not any(re.match(rf"{re.escape(n)}(-|$)", library) for n in BROUGHT_ALONG):
            faults.append(f"Dockerfile: no known package has {library}")


def validate(path, objects):
    import kubernetes_validate

    newest = kubernetes_validate.latest_version()
    checked = 0
    for object in objects:
        try:
            kubernetes_validate.validate(object, newest, strict=True)
            checked += 1
        except kubernetes_validate.SchemaNotFoundError:
            if "k8s.io/" in object["apiVersion"] and "kustomize" not in object["apiVersion"]:
                faults.append(f"{path}: Kubernetes {newest} knows no {object['apiVersion']} {object['kind']}")
        except kubernetes_validate.ValidationError as error:
            faults.append(f"{path}: {object['kind']}: {error.message}")
    return checked


def compose():
    """compose.yaml against the schema that docker-compose brings, and whether its parts name each other rightly."""
    import importlib.util

    import jsonschema

    root = pathlib.Path(importlib.util.find_spec("compose").submodule_search_locations[0])
    schema = json.loads((root / "config/compose_spec.json").read_text(encoding="utf-8"))
    (file,) = documents(DEPLOY / "compose.yaml")
    # `name` at the top is younger than this schema.
    for error in jsonschema.Draft7Validator(schema).iter_errors({key: value for key, value in file.items() if key != "name"}):
        faults.append(f"compose.yaml, {'/'.join(map(str, error.absolute_path))}: {error.message}")
    for name, service in file["services"].items():
        for other in service.get("depends_on", {}):
            if other not in file["services"]:
                faults.append(f"compose.yaml, {name}: there is no service {other}")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source not in file["volumes"] and not (source.startswith("./") and (DEPLOY / source).exists()):
                faults.append(f"compose.yaml, {name}: there is no volume or file {source}")
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                faults.append(f"compose.yaml, {name}: the port {port} is not on loopback only")


def collector(scrape_file):
    """The collector's pipelines name only what is there; what it scrapes is written to a file, for promtool."""
    (file,) = documents(DEPLOY / "otel/collector.yaml")
    used = {"receivers": set(), "processors": set(), "exporters": set()}
    for name, pipeline in file["service"]["pipelines"].items():
        for kind, found in used.items():
            found |= set(pipeline[kind])
            for part in pipeline[kind]:
                if part not in file[kind]:
                    faults.append(f"collector.yaml, {name}: {kind} has no {part}")
    for kind, found in used.items():
        for part in set(file[kind]) - found:
            faults.append(f"collector.yaml: {part} is in no pipeline")
    config = file["receivers"]["prometheus"]["config"]
    if [job["job_name"] for job in config["scrape_configs"]] != [NAME]:
        faults.append(f"collector.yaml: the job is not named {NAME}, by which dashboards know it")
    text = yaml.safe_dump(config)
    if re.search(r"(?<!\$)\$(?![${])", text):
        faults.append("collector.yaml: a $ must be written $$")
    pathlib.Path(scrape_file).write_text(text.replace("$$", "$"), encoding="utf-8")


def manifests():
    checked = 0
    for path in sorted((DEPLOY / "kubernetes").rglob("*.yaml")):
        # What an overlay patches is a part of an object only.
        if "overlays" in path.parts or path.name == "kustomization.yaml":
            continue
        checked += validate(path, documents(path))
    if checked < 5:
        faults.append(f"only {checked} manifests were checked")


def kubernetes(path):
    """What Kustomize built: against the schemas, and whether the parts name each other rightly."""
    objects = documents(path)
    if validate(path, objects) < 6:
        faults.append(f"{path}: fewer objects than there must be")

    def of_kind(kind):
        return [object for object in objects if object["kind"] == kind]

    (stateful,) = of_kind("StatefulSet")
    (service,) = of_kind("Service")
    template = stateful["spec"]["template"]
    labels = template["metadata"]["labels"]
    (container,) = template["spec"]["containers"]
    ports = {port["name"] for port in container["ports"]}

    def selects(what, selector, other=labels):
        if not selector or any(other.get(key) != value for key, value in selector.items()):
            faults.append(f"{what} does not select what it is for: {selector}")

    selects("the StatefulSet", stateful["spec"]["selector"]["matchLabels"])
    selects("the Service", service["spec"]["selector"])
    selects("the PodDisruptionBudget", of_kind("PodDisruptionBudget")[0]["spec"]["selector"]["matchLabels"])
    selects("the NetworkPolicy", of_kind("NetworkPolicy")[0]["spec"]["podSelector"]["matchLabels"])
    if stateful["spec"]["serviceName"] != service["metadata"]["name"]:
        faults.append("the StatefulSet names another Service")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if container[probe]["httpGet"]["port"] not in ports:
            faults.append(f"the {probe} asks at a port that is not there")
    maps = {object["metadata"]["name"]: object["data"] for object in of_kind("ConfigMap")}
    environment = {}
    for source in container["envFrom"]:
        if "configMapRef" in source:
            name = source["configMapRef"]["name"]
            if name not in maps:
                faults.append(f"there is no ConfigMap {name}")
            environment |= maps.get(name, {})
    if "COMBO_HTTP" not in environment:
        faults.append("COMBO_HTTP is nowhere set, so that neither probes nor Prometheus reach it")
    mounted = [mount["mountPath"] + "/" for mount in container["volumeMounts"]]
    for key, value in environment.items():
        if key.endswith("_FILE") and not value.startswith(tuple(mounted)):
            faults.append(f"{key} names {value}, and nothing is mounted there")
    volumes = {volume["name"] for volume in template["spec"]["volumes"]}
    for mount in container["volumeMounts"]:
        if mount["name"] not in volumes:
            faults.append(f"there is no volume {mount['name']}")
    for scaled in of_kind("ScaledObject"):
        target = scaled["spec"]["scaleTargetRef"]
        if (target["kind"], target["name"]) != ("StatefulSet", stateful["metadata"]["name"]):
            faults.append("the ScaledObject scales something else")
        if "replicas" in stateful["spec"]:
            faults.append("both the StatefulSet and the ScaledObject say how many")
        meta = scaled["spec"]["triggers"][0]["metadata"]
        for key, variable in (("bootstrapServers", "BROKERS"), ("consumerGroup", "GROUP"), ("topic", "INPUT")):
            said = environment.get("COMBO_" + variable)
            if meta[key] != said:
                faults.append(f"the ScaledObject's {key} is {meta[key]}, but COMBO_{variable} is {said}")
        login = scaled["spec"]["triggers"][0].get("authenticationRef")
        if login and login["name"] not in {object["metadata"]["name"] for object in of_kind("TriggerAuthentication")}:
            faults.append(f"there is no TriggerAuthentication {login['name']}")
    for monitor in of_kind("ServiceMonitor"):
        selects("the ServiceMonitor", monitor["spec"]["selector"]["matchLabels"], service["metadata"]["labels"])
        for endpoint in monitor["spec"]["endpoints"]:
            if endpoint["port"] not in {port["name"] for port in service["spec"]["ports"]}:
                faults.append(f"the ServiceMonitor's port {endpoint['port']} is not the Service's")
        if service["metadata"]["labels"].get(monitor["spec"]["jobLabel"]) != NAME:
            faults.append(f"the job would not be named {NAME}, by which the alerts know it")


what, *arguments = sys.argv[1:]
{
    "parse": parse, "metrics": metrics, "write-rules": write_rules, "rules": rules, "alerts": alerts, "options": options,
    "libraries": libraries, "queries": queries, "live": live, "compose": compose, "manifests": manifests, "kubernetes": kubernetes,
    "collector": collector,
}[what](*arguments)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
