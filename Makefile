# recondrill: `make` alone explains itself.
GO ?= go
SQLC_VERSION = v1.31.1
# What testcontainers needs on machines without its reaper's image; see sim/pg.
export TESTCONTAINERS_RYUK_DISABLED ?= true
export TESTCONTAINERS_HOST_OVERRIDE ?= 127.0.0.1

.DEFAULT_GOAL := help
.PHONY: help build drill test check bench power image generate

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the two programs into bin/
	$(GO) build -o bin/recondrill .
	$(GO) build -o bin/recond ./engine/recond

drill: build ## the catalogue of drills on generated accounts, then on the exported statements; report in out/
	./bin/recondrill drill --out out/drill
	./bin/recondrill drill --statements testdata/statements --runs 5 --out out/statements

test: ## every test: units, properties, drills on every way to get PostgreSQL that this machine offers
	@$(GO) test -count=1 -v -run '^TestWays_' ./drills
	$(GO) test -p 2 -vet=off -timeout 10m ./drills ./sim/pg ./... # the longest first: they go beside each other
	cd sim/examples/river && $(GO) test -timeout 5m ./... && $(GO) test -timeout 5m -modfile=newest.mod -tags newest ./...
	$(GO) test -vet=off -timeout 10m -race ./sim

check: ## formatting, vet, rooms and clocks, generated code up to date
	@out=$$(gofmt -l engine sim drills faults reports main.go); if [ -n "$$out" ]; then echo "gofmt: $$out"; exit 1; fi
	$(GO) vet ./...
	cd sim/examples/river && $(GO) vet ./... && $(GO) vet -modfile=newest.mod -tags newest ./...
	$(GO) mod verify >/dev/null
	$(GO) test -count=1 -run 'TestHouse' .
	./engine/postgres/generate.sh --check

bench: build ## speed against its goals: kernel to bare, container to local, simulated to real time, orders, memory
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./drills
	GOMAXPROCS=1 taskset -c 1 $(GO) test -run '^$$' -bench Orders -benchtime 1000x ./sim/pg
	GOMAXPROCS=1 taskset -c 1 $(GO) test -run '^$$' -bench Memory -benchtime 1x ./sim/pg

power: build ## search every mutant of the engine: runs to find, and which oracle found it
	$(GO) test -v -count=1 -timeout 24h -run TestPower ./drills/mutation -power $(POWER)

image: ## build stand-in images of PostgreSQL 15, 17 and 18 from Debian packages, where they are missing
	@for v in 15 17 18; do \
		if docker image inspect recondrill/postgres:$$v >/dev/null 2>&1; then echo "recondrill/postgres:$$v is here"; \
		else echo "building recondrill/postgres:$$v"; sh sim/pg/image/build.sh $$v recondrill/postgres:$$v || exit 1; fi; done

generate: ## regenerate the query code from SQL
	@[ "$$(sqlc version 2>/dev/null)" = $(SQLC_VERSION) ] || { echo "sqlc $(SQLC_VERSION) is missing: go install github.com/sqlc-dev/sqlc/cmd/sqlc@$(SQLC_VERSION)"; exit 1; }
	./engine/postgres/generate.sh
