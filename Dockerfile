# syntax=docker/dockerfile:1

# FrankenPHP's image with a server that has FrankenShare in it:
#
#   docker build -t frankenshare .
#   docker run -p 80:80 -p 443:443 -v "$PWD/public:/app/public" frankenshare
#
# The project's tests do not run this file.

# The image's version must be the one that go.mod requires; tests/docs_test.go compares them.
ARG FRANKENPHP=1.12.7
ARG PHP=8.4
ARG DEBIAN=bookworm

# It has Go, and libphp with its headers.
FROM dunglas/frankenphp:${FRANKENPHP}-builder-php${PHP}-${DEBIAN} AS builder

# The header of libxxhash is compiled in. Its library is not: --as-needed below keeps the final image from needing it.
RUN apt-get update && \
	apt-get install -y --no-install-recommends pkg-config libxxhash-dev && \
	rm -rf /var/lib/apt/lists/*
RUN GOBIN=/usr/local/bin go install github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5

WORKDIR /go/src/frankenshare
COPY . .

# Other Caddy modules go into the list as further --with. The image's Caddyfile asks for Brotli.
RUN CGO_ENABLED=1 \
	CGO_CFLAGS="$(php-config --includes) -D_GNU_SOURCE -O2" \
	CGO_LDFLAGS="-Wl,--as-needed $(php-config --ldflags) $(php-config --libs)" \
	XCADDY_GO_BUILD_FLAGS="-tags nobadger,nomysql,nopgx -ldflags '-s -w'" \
	xcaddy build "$(go list -m -f '{{.Version}}' github.com/caddyserver/caddy/v2)" \
		--output /usr/local/bin/frankenphp \
		--with github.com/frankenshare/frankenshare@v0.0.0=. \
		--with github.com/dunglas/caddy-cbrotli

FROM dunglas/frankenphp:${FRANKENPHP}-php${PHP}-${DEBIAN}

COPY --from=builder /usr/local/bin/frankenphp /usr/local/bin/frankenphp
RUN setcap cap_net_bind_service=+ep /usr/local/bin/frankenphp

# What the image's Caddyfile puts into its global options.
ENV CADDY_GLOBAL_OPTIONS="shared_state"
