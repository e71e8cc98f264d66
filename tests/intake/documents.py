"""Scanners' own documents, small but as their vendors write them."""

from xml.sax.saxutils import escape

HOST = {
    "ID": "6506432",
    "IP": "10.0.0.5",
    "TRACKING_METHOD": "AGENT",
    "DNS_DATA": {"HOSTNAME": "web1", "DOMAIN": "example.com", "FQDN": "web1.example.com"},
}
DETECTION = {
    "UNIQUE_VULN_ID": "5707",
    "QID": "38170",
    "TYPE": "Confirmed",
    "SEVERITY": "4",
    "PORT": "443",
    "PROTOCOL": "tcp",
    "STATUS": "Active",
    "FIRST_FOUND_DATETIME": "2026-10-01T04:00:00Z",
    "LAST_FOUND_DATETIME": "2026-11-19T04:00:00Z",
}
KNOWLEDGE = {
    "QID": "38170",
    "VULN_TYPE": "Vulnerability",
    "SEVERITY_LEVEL": "5",
    "TITLE": "OpenSSL: forged certificates",
    "CVE_LIST": {"CVE": [{"ID": "CVE-2022-3786", "URL": "https://cve.example"}, {"ID": "CVE-2022-3602"}]},
    "CVSS": {"BASE": "5.0"},
    "CVSS_V3": {"BASE": "7.5"},
    "THREAT_INTELLIGENCE": {"THREAT_INTEL": {"@id": "8", "#text": "Cisa_Known_Exploited_Vulns"}},
    "SOLUTION": "Update.",
}
DOCTYPE = (
    "<!DOCTYPE HOST_LIST_VM_DETECTION_OUTPUT SYSTEM "
    '"https://qualysapi.example.com/api/2.0/fo/asset/host/vm/detection/dtd/output.dtd">'
)
NESSUS = """<?xml version="1.0" ?>
<NessusClientData_v2>
<Policy><policyName>Weekly</policyName></Policy>
<Report name="Weekly" xmlns:cm="http://www.nessus.org/cm">
<ReportHost name="192.0.2.8">
<HostProperties>
<tag name="HOST_END">Thu Nov 19 04:00:00 2026</tag>
<tag name="operating-system">Linux Kernel 5.15</tag>
<tag name="netbios-name">WEB1</tag>
<tag name="host-fqdn">web1.example.com</tag>
<tag name="host-ip">192.0.2.8</tag>
</HostProperties>
<ReportItem port="8443" svc_name="www" protocol="tcp" severity="4" pluginID="156032" pluginName="Log4j" pluginFamily="Misc.">
<cm:compliance>false</cm:compliance>
<cve>CVE-2021-44228</cve>
<cve>CVE-2021-45046</cve>
<cvss3_base_score>10.0</cvss3_base_score>
<cvss_base_score>9.3</cvss_base_score>
<risk_factor>High</risk_factor>
<solution>Update to 2.16.</solution>
<vpr_score>9.9</vpr_score>
<xref>CISA-KNOWN-EXPLOITED:2021/12/24</xref>
<plugin_output>Path : /opt/app</plugin_output>
</ReportItem>
<ReportItem port="0" svc_name="general" protocol="tcp" severity="0" pluginID="19506" pluginName="Scan Information">
<risk_factor>None</risk_factor>
</ReportItem>
</ReportHost>
</Report>
</NessusClientData_v2>
"""
SCAN_REPORT = """<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE ASSET_DATA_REPORT SYSTEM "https://qualysguard.example.com/asset_data_report.dtd">
<ASSET_DATA_REPORT>
<HOST_LIST><HOST>
<IP network_id="0">10.0.0.5</IP><TRACKING_METHOD>IP</TRACKING_METHOD><DNS><![CDATA[web1.example.com]]></DNS>
<OPERATING_SYSTEM><![CDATA[Linux 5.15]]></OPERATING_SYSTEM>
<VULN_INFO_LIST><VULN_INFO>
<QID id="qid_38170">38170</QID><TYPE>Vuln</TYPE><PORT>443</PORT><PROTOCOL>tcp</PROTOCOL><SSL>true</SSL>
<RESULT format="table"><![CDATA[name\tother]]></RESULT><FIRST_FOUND>2026-10-01T04:00:00Z</FIRST_FOUND>
<LAST_FOUND>2026-11-19T04:00:00Z</LAST_FOUND><TIMES_FOUND>3</TIMES_FOUND><VULN_STATUS>Active</VULN_STATUS>
</VULN_INFO></VULN_INFO_LIST>
</HOST></HOST_LIST>
<GLOSSARY><VULN_DETAILS_LIST><VULN_DETAILS id="qid_38170">
<QID id="qid_38170">38170</QID><TITLE><![CDATA[Certificate of another name]]></TITLE><SEVERITY>2</SEVERITY>
<SOLUTION><![CDATA[Renew it.]]></SOLUTION><CVSS3_SCORE><CVSS3_BASE>6.5</CVSS3_BASE></CVSS3_SCORE>
<CVE_ID_LIST><CVE_ID><ID><![CDATA[CVE-2022-0001]]></ID><URL>https://cve.example</URL></CVE_ID></CVE_ID_LIST>
</VULN_DETAILS></VULN_DETAILS_LIST></GLOSSARY>
</ASSET_DATA_REPORT>
"""
SCAN_RESULT = """<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE SCAN SYSTEM "https://qualysapi.example.com/scan-1.dtd">
<SCAN value="scan/1">
<IP value="10.0.0.5" name="web1.example.com"><OS><![CDATA[Linux 5.15]]></OS>
<INFOS><CAT value="Information gathering"><INFO number="6" severity="1"><TITLE>DNS name</TITLE></INFO></CAT></INFOS>
<VULNS><CAT value="General" port="443" protocol="tcp">
<VULN number="38170" severity="4" cveid="CVE-2022-0001,CVE-2022-0002"><TITLE>Certificate</TITLE></VULN></CAT></VULNS>
<PRACTICES><CAT value="General"><PRACTICE number="82024" severity="2"><TITLE>Constant field</TITLE></PRACTICE></CAT></PRACTICES>
</IP>
</SCAN>
"""


def detections(hosts):
    """The host detection API's output."""
    return {"HOST_LIST_VM_DETECTION_OUTPUT": {"RESPONSE": {"HOST_LIST": {"HOST": hosts}}}}


def knowledge_base(*entries):
    """The KnowledgeBase's output; one entry is an object."""
    inside = entries[0] if len(entries) == 1 else list(entries)
    return {"KNOWLEDGE_BASE_VULN_LIST_OUTPUT": {"RESPONSE": {"VULN_LIST": {"VULN": inside}}}}


def element(name, value):
    """XML of what a converter would read as this JSON."""
    if isinstance(value, list):
        return "".join(element(name, one) for one in value)
    if not isinstance(value, dict):
        return f"<{name}>{escape(value or '')}</{name}>"
    attributes = "".join(f' {key[1:]}="{inner}"' for key, inner in value.items() if key.startswith("@"))
    inside = "".join(element(key, inner) for key, inner in value.items() if key[0] not in "@#")
    return f"<{name}{attributes}>{inside}{escape(value.get('#text', ''))}</{name}>"


def qualys_xml(found, entries=()):
    """The output of the API with its DOCTYPE, with the KnowledgeBase beside it where entries are given."""
    body = detections({**HOST, "DETECTION_LIST": {"DETECTION": found}})
    if entries:
        body = {"BOTH": body | knowledge_base(*entries)}
    (root,) = body
    return f'<?xml version="1.0" encoding="UTF-8" ?>\n{DOCTYPE}\n{element(root, body[root])}\n'.encode()


def trivy(*vulnerabilities):
    """Trivy's JSON report of an image."""
    found = vulnerabilities or (
        {
            "VulnerabilityID": "CVE-2022-3602",
            "PkgName": "openssl",
            "InstalledVersion": "3.0.5",
            "FixedVersion": "3.0.7",
            "Severity": "HIGH",
            "Title": "OpenSSL: X.509 Email Address Buffer Overflow",
            "CVSS": {"nvd": {"V3Score": 7.5}},
        },
    )
    results = [{"Target": "registry.example/shop (debian 12)", "Class": "os-pkgs", "Vulnerabilities": list(found)}]
    return {"SchemaVersion": 2, "ArtifactName": "registry.example/shop:1", "ArtifactType": "container_image"} | {
        "Results": results
    }


def grype():
    """Grype's JSON report of an image."""
    return {
        "matches": [
            {
                "vulnerability": {
                    "id": "GHSA-jfh8-c2jp-5v3q",
                    "severity": "Critical",
                    "description": "Remote code execution",
                    "cvss": [{"version": "3.1", "metrics": {"baseScore": 10.0}}],
                    "fix": {"versions": ["2.15.0"], "state": "fixed"},
                },
                "relatedVulnerabilities": [{"id": "CVE-2021-44228"}],
                "artifact": {"name": "log4j-core", "version": "2.14.1", "type": "java-archive"},
            }
        ],
        "source": {"type": "image", "target": {"userInput": "registry.example/shop:1"}},
        "descriptor": {"name": "grype", "version": "0.74.0"},
    }


def inspector(status="ACTIVE"):
    """A finding of Amazon Inspector, as EventBridge posts it."""
    finding = {
        "findingArn": "arn:aws:inspector2:eu-west-1:123456789012:finding/FINDING_ID",
        "title": "CVE-2022-3602 - openssl",
        "severity": "HIGH",
        "status": status,
        "inspectorScore": 7.5,
        "firstObservedAt": "2026-11-01T04:00:00Z",
        "lastObservedAt": "2026-11-20T04:00:00Z",
        "updatedAt": "2026-11-20T04:00:00Z",
        "resources": [{"id": "i-12345678", "type": "AWS_EC2_INSTANCE"}],
        "packageVulnerabilityDetails": {
            "vulnerabilityId": "CVE-2022-3602",
            "vulnerablePackages": [{"name": "openssl", "version": "3.0.5"}],
        },
        "remediation": {"recommendation": {"text": "Update openssl"}},
    }
    return {"source": "aws.inspector2", "detail-type": "Inspector2 Finding", "detail": finding}


def inspector_finding(kind, details, **more):
    """A finding of the other kinds that Inspector publishes, with its times as EventBridge writes them."""
    moment = "Thu Sep 05 13:06:56.334 UTC 2024"
    finding = {
        "findingArn": "arn:aws:inspector2:eu-central-1:123456789012:finding/A",
        "title": "Port 22 is reachable from an Internet Gateway - TCP",
        "type": kind,
        "severity": "MEDIUM",
        "status": "ACTIVE",
        "remediation": {"recommendation": {"text": "None Provided"}},
        "resources": [{"id": "i-12345678", "type": "AWS_EC2_INSTANCE", "tags": {"Service": "checkout"}}],
        **dict.fromkeys(("firstObservedAt", "lastObservedAt", "updatedAt"), moment),
        **details,
        **more,
    }
    return {"source": "aws.inspector2", "detail-type": "Inspector2 Finding", "detail": finding}


def open_port(number, gateway="AWS::EC2::InternetGateway", **more):
    """A port that Inspector found open, as it is published."""
    path = {"steps": [{"componentId": "igw-1", "componentType": gateway}]}
    reached = {"networkPath": path, "openPortRange": {"begin": number, "end": number}, "protocol": "TCP"}
    return inspector_finding("NETWORK_REACHABILITY", {"networkReachabilityDetails": reached}, **more)


def weak_line(row, **more):
    """A weakness that Inspector found in a line of a function."""
    file = {"fileName": "f.py", "filePath": "src/f.py", "startLine": row, "endLine": row}
    code = {"detectorId": "python/hardcoded-credentials@v1.0", "filePath": file, "cwes": ["CWE-798"]}
    return inspector_finding("CODE_VULNERABILITY", {"codeVulnerabilityDetails": code}, **more)


def weak_packages(*names, **more):
    """A vulnerability of several packages, which Inspector names in any order."""
    held = [{"name": name, "version": "3.0.13", "fixedInVersion": "3.0.14"} for name in names]
    scores = [("NVD", "2.0", 9.9), ("NVD", "3.1", 8.1), ("UBUNTU_CVE", "3.1", 6.5)]
    about = {
        "vulnerabilityId": "CVE-2024-6119",
        "source": "UBUNTU_CVE",
        "vulnerablePackages": held,
        "cvss": [{"source": one, "version": version, "baseScore": base} for one, version, base in scores],
    }
    return inspector_finding("PACKAGE_VULNERABILITY", {"packageVulnerabilityDetails": about}, **more)
