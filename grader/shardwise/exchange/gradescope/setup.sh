#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the autograder's image.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
apt-get install -y -q python3-venv
# Containers rarely allow the namespaces that bubblewrap needs; without it, shardwise uses a sandbox that needs none.
apt-get install -y -q bubblewrap || echo "bubblewrap is not available; the sandbox uses Landlock and seccomp."

# Outside of /root, because student code runs as a user who cannot read it.
export UV_PYTHON_INSTALL_DIR=/opt/shardwise/python
python3 -m venv /opt/shardwise/uv
/opt/shardwise/uv/bin/pip install -q uv
/opt/shardwise/uv/bin/uv venv -q --python PYTHON_VERSION /opt/shardwise/env
/opt/shardwise/uv/bin/uv pip install -q --python /opt/shardwise/env/bin/python -r requirements.txt
/opt/shardwise/env/bin/python -m shardwise doctor || echo "Without a sandbox no submission will be graded; the lines above say what is missing."
