"""The parts of deploy/check that look into files. Run by it, from the repository's root: check.py WHAT [FILE]."""

import json
import pathlib
import re
import shutil
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
    for group in documents(RULES)[0]["groups"]:
        for rule in group["rules"]:
            if not {"summary", "description", "runbook_url"} <= rule["annotations"].keys():
                faults.append(f"{rule['alert']} does not say what to do: it needs summary, description and runbook_url")
    headings = [heading.lower() for heading in re.findall(r"(?m)^#+ (.*)$", OPERATING.read_text(encoding="utf-8"))]
    for anchor in set(re.findall(r"operating\.md#([a-z-]+)", RULES.read_text(encoding="utf-8"))):
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
    for path in sorted((DEPLOY / "kubernetes").rglob("*.yaml")):
        for object in documents(path):
            if object["kind"] in ("StatefulSet", "Deployment"):
                look(path, object["spec"]["template"]["spec"]["containers"][0].get("args", []))


# Debian 13's package of each library that the program may be linked with; None: it is in the image, or comes with another one.
PACKAGES = {
    "librdkafka": "librdkafka1", "libmicrohttpd": "libmicrohttpd12t64", "libsimdjson": "libsimdjson25", "libxxhash": "libxxhash0",
    "libstdc++": "libstdc++6", "libjemalloc": "libjemalloc2", "libsqlite3": "libsqlite3-0", "libwebsockets": "libwebsockets19t64", "libz": "zlib1g",
    "libcurl": "libcurl4t64",
}
BROUGHT_ALONG = (
    "linux-vdso", "ld-linux", "libc", "libm", "libgcc_s", "liblz4", "libzstd", "libsasl2", "libssl", "libcrypto",
    "libgnutls", "libp11-kit", "libidn2", "libunistring", "libtasn1", "libnettle", "libhogweed", "libgmp", "libffi", "libcap", "libdl", "libpthread",
    # What libcurl needs.
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


def variants(folder):
    """Copies kubernetes/ into this folder: its example overlay without components, with each alone, and with all and a map."""
    components = [path.name for path in sorted((DEPLOY / "kubernetes/components").iterdir())]
    for name in ["none", *components, "all"]:
        copy = pathlib.Path(folder) / name
        shutil.copytree(DEPLOY / "kubernetes", copy)
        example = copy / "overlays/example"
        text = re.sub(r"(?m)^#(?= +- )", "", (example / "kustomization.yaml").read_text(encoding="utf-8"))
        if name != "all":
            # As README.md says: the lines of what is left out are deleted.
            others = [other for other in ["map", *components] if other != name]
            text = "".join(line for line in text.splitlines(True) if not re.search(rf"^ +- .*\b({'|'.join(others)})\b", line))
        for component in components:
            if name in ("all", component) and f"components/{component}\n" not in text:
                faults.append(f"overlays/example/kustomization.yaml has no line for components/{component}")
        if "components/" not in text:
            text = text.replace("components:\n", "")
        (example / "kustomization.yaml").write_text(text, encoding="utf-8")
        for file in re.findall(r"files: \[(.*)\]", text):
            (example / file).write_text("{}\n", encoding="utf-8")


def kubernetes(path):
    """What Kustomize built: against the schemas, and whether the parts name each other rightly."""
    objects = documents(path)
    if validate(path, objects) < 6:
        faults.append(f"{path}: fewer objects than there must be")

    def of_kind(*kinds):
        return [object for object in objects if object["kind"] in kinds]

    def name_of(object):
        return f"{object['kind']} {object['metadata']['name']}"

    def selected(selector, labels):
        wanted = {key: [value] for key, value in selector.get("matchLabels", {}).items()}
        wanted |= {each["key"]: each["values"] for each in selector.get("matchExpressions", []) if each["operator"] == "In"}
        return bool(wanted) and all(labels.get(key) in values for key, values in wanted.items())

    maps = {object["metadata"]["name"]: object["data"] for object in of_kind("ConfigMap")}
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")
    workloads = of_kind("StatefulSet", "Deployment")
    pods = {name_of(object): object["spec"]["template"]["metadata"]["labels"] for object in workloads}

    def look_at_settings(name, environment, files):
        """Each file of --input-settings is named after an input: others would be ignored."""
        if not files:
            faults.append(f"{name}: there is no ConfigMap with the files of COMBO_INPUT_SETTINGS")
        for file in files:
            topic = file.removesuffix(".conf")
            pattern = environment.get("COMBO_INPUT_PATTERN")
            if topic == file or not (topic in environment["COMBO_INPUT"].split(",") or pattern and re.match(pattern, topic)):
                faults.append(f"{name}: {file} is not named after an input")

    def look_at(object):
        """Returns the variables of its container."""
        name, template = name_of(object), object["spec"]["template"]
        if [pod for pod in pods if selected(object["spec"]["selector"], pods[pod])] != [name]:
            faults.append(f"{name} does not select its own pods only")
        (container,) = template["spec"]["containers"]
        ports = {port["name"] for port in container.get("ports", [])}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if ports and container[probe]["httpGet"]["port"] not in ports:
                faults.append(f"{name}: the {probe} asks at a port that is not there")
        environment = {}
        for source in container["envFrom"]:
            map_name = source["configMapRef"]["name"]
            if map_name not in maps:
                faults.append(f"{name}: there is no ConfigMap {map_name}")
            environment |= maps.get(map_name, {})
        environment |= {each["name"]: each["value"] for each in container.get("env", []) if "value" in each}
        if ports and "COMBO_HTTP" not in environment:
            faults.append(f"{name}: COMBO_HTTP is nowhere set, so that neither probes nor Prometheus reach it")
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        mounts = {mount["mountPath"] + "/": volumes.get(mount["name"]) for mount in container["volumeMounts"]}
        for mount, volume in mounts.items():
            if volume is None:
                faults.append(f"{name}: nothing has the volume that is mounted at {mount}")
            elif "secret" in volume and f" generic {volume['secret']['secretName']} " not in readme:
                faults.append(f"{name}: README.md does not say how to create the secret {volume['secret']['secretName']}")
        for key, value in environment.items():
            if not (key.startswith("COMBO_") and (key.endswith("_FILE") or value.startswith("/"))):
                continue
            # `serve` has no option --map.
            if key == "COMBO_MAP" and "serve" in container["args"]:
                continue
            # The one option that names a folder.
            file = f"{value}/" if key == "COMBO_INPUT_SETTINGS" else value
            folder = next((mount for mount in mounts if file.startswith(mount)), None)
            if folder is None:
                faults.append(f"{name}: {key} names {value}, and nothing is mounted there")
                continue
            config_map = (mounts[folder] or {}).get("configMap", {}).get("name")
            if key == "COMBO_INPUT_SETTINGS":
                look_at_settings(name, environment, maps.get(config_map, {}))
            elif config_map and value.removeprefix(folder).split(":")[0] not in maps.get(config_map, {}):
                faults.append(f"{name}: {key} names {value}, but there is no ConfigMap {config_map} that has this file")
        return environment

    environments = {name_of(object): look_at(object) for object in workloads}
    (stateful,) = of_kind("StatefulSet")
    services = of_kind("Service")
    for service in services:
        if len([pod for pod in pods if selected({"matchLabels": service["spec"]["selector"]}, pods[pod])]) != 1:
            faults.append(f"{name_of(service)} selects the pods of none, or of several")
    for object in of_kind("PodDisruptionBudget"):
        if not any(selected(object["spec"]["selector"], labels) for labels in pods.values()):
            faults.append(f"{name_of(object)} selects no pods")
    policies = of_kind("NetworkPolicy")
    for name, labels in pods.items():
        kinds = {kind for each in policies if selected(each["spec"]["podSelector"], labels) for kind in each["spec"]["policyTypes"]}
        if kinds != {"Ingress", "Egress"}:
            faults.append(f"{name}: no NetworkPolicy covers what goes in and out of its pods")
    for object in policies:
        if not any(selected(object["spec"]["podSelector"], labels) for labels in pods.values()):
            faults.append(f"{name_of(object)} selects no pods")
    if stateful["spec"]["serviceName"] not in {service["metadata"]["name"] for service in services}:
        faults.append("the StatefulSet names another Service")
    for scaled in of_kind("ScaledObject"):
        target = scaled["spec"]["scaleTargetRef"]
        if (target["kind"], target["name"]) != ("StatefulSet", stateful["metadata"]["name"]):
            faults.append("the ScaledObject scales something else")
        if "replicas" in stateful["spec"]:
            faults.append("both the StatefulSet and the ScaledObject say how many")
        meta = scaled["spec"]["triggers"][0]["metadata"]
        for key, variable in (("bootstrapServers", "BROKERS"), ("consumerGroup", "GROUP"), ("topic", "INPUT")):
            said = environments[name_of(stateful)].get("COMBO_" + variable)
            # With several inputs, KEDA must add up the lag of them all.
            if key == "topic" and ("," in said or "COMBO_INPUT_PATTERN" in environments[name_of(stateful)]):
                said = None
            if meta.get(key) != said:
                faults.append(f"the ScaledObject's {key} is {meta.get(key)}, but must be {said}, as COMBO_{variable} says")
        login = scaled["spec"]["triggers"][0].get("authenticationRef")
        if login and login["name"] not in {object["metadata"]["name"] for object in of_kind("TriggerAuthentication")}:
            faults.append(f"there is no TriggerAuthentication {login['name']}")
    jobs = set(re.findall(r'job="([^"]+)"', RULES.read_text(encoding="utf-8")))
    monitors = of_kind("ServiceMonitor")
    for service in services:
        labels = service["metadata"]["labels"]
        of_service = [monitor for monitor in monitors if selected(monitor["spec"]["selector"], labels)]
        if monitors and len(of_service) != 1:
            faults.append(f"{len(of_service)} ServiceMonitors select {name_of(service)}, so that its alerts never fire, or twice")
        for monitor in of_service:
            for endpoint in monitor["spec"]["endpoints"]:
                if endpoint["port"] not in {port["name"] for port in service["spec"]["ports"]}:
                    faults.append(f"the ServiceMonitor's port {endpoint['port']} is not one of {name_of(service)}")
            if labels.get(monitor["spec"]["jobLabel"]) not in jobs:
                faults.append(f"{name_of(service)}: its job is not one of {', '.join(sorted(jobs))}, by which the alerts know it")


what, *arguments = sys.argv[1:]
{
    "parse": parse, "metrics": metrics, "write-rules": write_rules, "rules": rules, "alerts": alerts, "options": options,
    "libraries": libraries, "queries": queries, "live": live, "compose": compose, "manifests": manifests, "kubernetes": kubernetes,
    "collector": collector, "variants": variants,
}[what](*arguments)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
