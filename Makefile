# One command per need; `make` alone lists them. Options of the server: make run ARGS="--listen 0.0.0.0:3000".

SWIFT_SOURCES = $(shell git ls-files '*.swift')
SOURCES = $(SWIFT_SOURCES) $(shell git ls-files "*.py" "*.c" "*.h" "*.js")
ARGS =
# How `make run` starts the server unless ARGS or a file say otherwise: with all applications, a data directory, and bots, which
# have no accounts.
TRY = $(if $(findstring --config,$(ARGS)),,ROOMS_DEMO="$${ROOMS_DEMO:-$(if $(findstring --auth,$(ARGS)),off,on)}" \
	ROOMS_APPS="$${ROOMS_APPS:-all}" ROOMS_DATA="$${ROOMS_DATA:-data}")
# The options of Tests/run.py: with other options SwiftPM would build everything anew.
DEBUG_BUILD = swift build --disable-index-store -debug-info-format none
# Few Swift tests at once: a test that waits for an answer must not wait behind hundreds that compute.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = 4

.DEFAULT_GOAL := help
.PHONY: help run test quick screenshots bench bench-peers bench-cluster bench-accounts soak check lint warnings address thread fuzz-smoke openapi format fuzz simulate kills cluster cluster-faults phones words unfenced conformance \
	clean swift

help: ## List all commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: swift ## Install what is missing, make a release build, start a server for trials, with bots and uploads, and its data in ./data.
	@deploy/install-dependencies.sh run
	swift build -c release --product rooms
	swift build -c release --product rooms-media
	swift build -c release --product rooms-video
	@$(TRY) exec "$$(swift build -c release --show-bin-path)/rooms" serve $(ARGS)

test: swift ## Install what is missing, then run every test: those in Swift, and real clients against a running server.
	@deploy/install-dependencies.sh test
	@Tests/run.py

quick: swift ## Run the Swift tests of the changed modules, and a few with each kind of client, within a minute.
	@deploy/install-dependencies.sh test
	@Tests/run.py --quick

screenshots: swift ## Take the pictures of docs/screenshots anew.
	@deploy/install-dependencies.sh test
	$(DEBUG_BUILD)
	@Tests/clients/prepare.sh
	@Tests/clients/run.sh screenshots

bench: swift ## Measure the server beside bare C servers, in ten minutes: make bench ARGS="--quick --only rooms".
	@deploy/install-dependencies.sh bench
	@LoadTests/run.sh $(ARGS)

bench-peers: swift ## Measure the server beside other Socket.IO servers, in ten minutes: make bench-peers ARGS="--quick".
	@deploy/install-dependencies.sh bench
	@LoadTests/run.sh --only peers $(ARGS)

bench-cluster: swift ## Measure a cluster of nodes on this machine, in half an hour: make bench-cluster ARGS="--quick".
	@deploy/install-dependencies.sh test
	@LoadTests/run.sh --only cluster $(ARGS)

bench-accounts: swift ## Measure sign-ins and tokens, and rooms beside them, in three minutes: make bench-accounts ARGS="--quick".
	@deploy/install-dependencies.sh bench
	@LoadTests/run.sh --only accounts $(ARGS)

soak: swift ## Run a server under commuters and bots of chaos for half an hour: make soak ARGS="--minutes 5".
	@deploy/install-dependencies.sh bench
	@LoadTests/soak/soak.sh $(ARGS)

check: lint warnings address thread fuzz-smoke openapi ## Check format, warnings, sanitizers, a little fuzzing and REST before a change lands.
	@echo "check: everything passed"

lint: swift
	@swift format lint --strict --parallel $(SWIFT_SOURCES)
	@LoadTests/roomload/layers.py
	@Tests/lint/sizes.py $(SOURCES)

warnings: swift
	@deploy/install-dependencies.sh run
	$(DEBUG_BUILD) --build-tests --scratch-path .build/warnings -Xswiftc -warnings-as-errors
	swift build -c release --scratch-path .build/warnings -Xswiftc -warnings-as-errors
	swift build --package-path Examples --scratch-path .build/examples -Xswiftc -warnings-as-errors

address: swift
	ASAN_OPTIONS=suppressions=$(CURDIR)/Tests/address.supp LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp \
		swift test --disable-index-store --sanitize=address --scratch-path .build/address

thread: swift
	# The simulation has one thread, and takes long here.
	swift test --disable-index-store --sanitize=thread --skip RoomsSimulationTests --scratch-path .build/thread

fuzz-smoke: swift
	@Fuzz/run.sh 10

openapi: swift ## Try the REST interface against its description, with schemathesis: make openapi ARGS=1000.
	@deploy/install-dependencies.sh test
	$(DEBUG_BUILD)
	@Tests/openapi/run.sh $(ARGS)

format: swift ## Format every Swift file in place.
	@swift format --in-place --parallel $(SWIFT_SOURCES)

fuzz: swift ## Fuzz every decoder for a minute each.
	@Fuzz/run.sh 60

simulate: swift ## Simulate rooms, shards and clients, seed after seed: make simulate ARGS="--seed 7 --seeds 1".
	@deploy/install-dependencies.sh run
	swift run -c release simulate $(ARGS)

kills: swift ## Kill the server 300 times under load, cut its power 100 times, and check that all acked changes are stored.
	@deploy/install-dependencies.sh test
	swift build -c release --product rooms
	swift build -c release --product conformance-server
	@Tests/clients/prepare.sh
	@programs="$$(swift build -c release --show-bin-path)"; \
		ROOMS_SERVER="$$programs/rooms" CONFORMANCE_SERVER="$$programs/conformance-server" ROOMS_TEST_KILLS=$${ROOMS_TEST_KILLS:-100} \
		ROOMS_TEST_CUTS=$${ROOMS_TEST_CUTS:-100} Tests/clients/run.sh -s --timeout=3600 \
		test_rooms_store.py::TestKills test_account_kills.py test_rooms_disk.py::TestPowerCuts

cluster: swift ## Start three nodes, PostgreSQL, Redis, a balancer and bots on this machine, to look at a cluster.
	@deploy/install-dependencies.sh test
	swift build -c release --product rooms
	swift build -c release --product rooms-media
	swift build -c release --product rooms-video
	@Tests/clients/prepare.sh
	@ROOMS_SERVER="$$(swift build -c release --show-bin-path)/rooms" .venv/clients/bin/python Tests/cluster/show.py $(ARGS)

cluster-faults: swift ## Kill, freeze and cut off the parts of a cluster under bots that check it: make cluster-faults ARGS="--minutes 60".
	@deploy/install-dependencies.sh test
	$(DEBUG_BUILD)
	@Tests/clients/prepare.sh
	@.venv/clients/bin/python Tests/cluster/faults.py $(ARGS)

phones: swift ## Let 1,000 phones sync, upload and be notified while links break and the server is killed: make phones ARGS="--store postgresql".
	@deploy/install-dependencies.sh test
	swift build -c release --product rooms
	swift build -c release --product rooms-media
	swift build -c release --product rooms-video
	@Tests/clients/prepare.sh
	@ROOMS_SERVER="$$(swift build -c release --show-bin-path)/rooms" .venv/clients/bin/python Tests/phones/trial.py $(ARGS)

words: swift ## Let two users write in browser windows with the aim of losing a word: make words ARGS="--minutes 60 --seed 7".
	@deploy/install-dependencies.sh test
	$(DEBUG_BUILD)
	@Tests/clients/prepare.sh
	@.venv/clients/bin/python Tests/words/word_trial.py $(ARGS)

unfenced: swift ## Check that faults find out a server that was built to ignore the fences of its rooms.
	@deploy/install-dependencies.sh test
	$(DEBUG_BUILD) --product rooms --scratch-path .build/unfenced -Xswiftc -DIGNORES_FENCE
	@Tests/clients/prepare.sh
	@ROOMS_SERVER=.build/unfenced/debug/rooms .venv/clients/bin/python Tests/cluster/faults.py --expect-violation --of partitions --minutes 20 $(ARGS)

conformance: swift ## Run the public suites of Engine.IO, Socket.IO and WebSocket, if they can be downloaded.
	@deploy/install-dependencies.sh conformance
	swift build -c release --product conformance-server
	@Tests/conformance/run.sh $(ARGS)

clean: ## Remove everything that was built and downloaded.
	rm -rf .build .venv

swift:
	@command -v swift >/dev/null || { echo "Swift is not on PATH. Install it from https://www.swift.org/install/linux/" >&2; exit 1; }
