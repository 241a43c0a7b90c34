# Live streams through Varnish 6.2 or newer (/etc/varnish/default.vcl): one of many players that want the same asks Footlight.
# For a CDN of your own: this on each edge, with the shield as its backend, and this on the shield, with Footlight or the
# balancer as its backend. Varnish speaks no TLS: HAProxy or hitch stand in front of an edge.
# Set on Footlight: TRUSTED_PROXIES with the addresses of the shield, the edges and what stands before them.
vcl 4.1;

backend footlight {
  .host = "127.0.0.1";
  .port = "8080";
  .connect_timeout = 5s;
  # Footlight lets who asks for the next part wait for up to 6 seconds.
  .first_byte_timeout = 10s;
  .between_bytes_timeout = 10s;
}

sub vcl_recv {
  # Links between nodes do not come this way.
  if (req.url ~ "^/link([/?]|$)") {
    return (synth(404));
  }
  # Of pages alone: what is piped goes on as its sender writes it, with whatever it says of its address.
  if (req.url ~ "^/audience(\?|$)" && req.http.Upgrade ~ "(?i)websocket") {
    return (pipe);
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  if (req.url ~ "^/hls/") {
    # What else is in a query makes no other answer: strangers could ask past the cache by it.
    if (req.url ~ "\.m3u8(\?|$)") {
      set req.url = regsuball(req.url, "([?&])(?!_HLS_msn=|_HLS_part=|low_latency=1(?:&|$))[^&]*", "\1");
      set req.url = regsuball(req.url, "&+", "&");
      set req.url = regsub(regsub(req.url, "\?&", "?"), "[?&]$", "");
    } else {
      set req.url = regsub(req.url, "\?.*$", "");
    }
    unset req.http.Cookie;
    unset req.http.Authorization;
    return (hash);
  }
  # Of a recording the playlists; its media comes in ranges of one large file.
  if (req.url ~ "^/recordings/[^?]*\.m3u8" && !req.http.Range) {
    unset req.http.Cookie;
    unset req.http.Authorization;
    return (hash);
  }
  return (pass);
}

sub vcl_pipe {
  set bereq.http.Upgrade = req.http.Upgrade;
  set bereq.http.Connection = req.http.Connection;
}

# The whole address that is left: _HLS_msn and _HLS_part say which playlist it is. The same under every name of the site.
sub vcl_hash {
  if (req.url ~ "^/hls/") {
    hash_data(req.url);
    return (lookup);
  }
}

sub vcl_backend_response {
  if (bereq.url !~ "^/(hls|recordings)/" || bereq.uncacheable) {
    return (deliver);
  }
  # Nothing of a live stream is good when it is old.
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  # What is not there may be there in a moment: never kept, and who asks meanwhile asks Footlight.
  if (beresp.status != 200) {
    set beresp.uncacheable = true;
    set beresp.ttl = 0.1s;
    return (deliver);
  }
  if (beresp.http.Cache-Control ~ "no-cache") {
    # A playlist that came without the part that was waited for serves nobody else. One that was asked for without a part
    # is for those who begin: they may have one that is a part old.
    if (bereq.url ~ "_HLS_msn=") {
      set beresp.uncacheable = true;
    }
    set beresp.ttl = 0.2s;
  }
  return (deliver);
}
