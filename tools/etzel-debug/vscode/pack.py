#!/usr/bin/env python3
"""Packs the extension for editors into a .vsix, without network. usage: pack.py OUTPUT"""
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import quoteattr

FILES = ["package.json", "extension.js"]
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def manifest(package):
    """What editors read of an extension before they unpack it."""
    attributes = {"Language": "en-US", "Id": package["name"], "Version": package["version"],
                  "Publisher": package["publisher"]}
    identity = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity {identity}/>
    <DisplayName>{package["displayName"]}</DisplayName>
    <Description>{package["description"]}</Description>
    <Categories>{",".join(package["categories"])}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def pack(output):
    folder = pathlib.Path(__file__).resolve().parent
    package = json.loads((folder / "package.json").read_text())
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("extension.vsixmanifest", manifest(package))
        for name in FILES:
            archive.write(folder / name, f"extension/{name}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pack(sys.argv[1])
