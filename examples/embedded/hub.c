// SPDX-License-Identifier: MIT
#include "hub.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sensor.h"

static bool failed(const char* what) {
  fprintf(stderr, "sensor_hub: %s: %s\n", what, strerror(errno));
  return false;
}

static bool not_scheduled(void) {
  const char* text = NULL;
  detent_last_error(&text);
  fprintf(stderr, "sensor_hub: %s\n", text);
  return false;
}

static double seconds(int64_t ns) { return (double)ns / 1e9; }

// --- What the loop wakes up for ---

static void on_report(void* context) {
  const struct hub* hub = context;
  const struct counts* seen = &hub->counts;
  detent_metrics timers;
  if (detent_read_metrics(hub->engine, &timers) != 0) return;  // no memory: this line is not worth the service
  printf("%.6f s: %llu sensors came, %llu lines, %llu settled, %llu idle; 99 %% of timers within %.3f ms\n",
         seconds(detent_now() - hub->started_ns), (unsigned long long)seen->accepted, (unsigned long long)seen->lines,
         (unsigned long long)seen->settled, (unsigned long long)seen->idle, (double)timers.lateness_p99 / 1e6);
  fflush(stdout);
}

static void listen_again(void* context) {
  struct hub* hub = context;
  struct epoll_event interest = {.events = EPOLLIN, .data.ptr = &hub->on_listener};
  epoll_ctl(hub->loop, EPOLL_CTL_MOD, hub->listener, &interest);
}

// Where no descriptor is left the listener stays readable, and the loop would spin: it tries again in a moment.
static void pause_listening(struct hub* hub) {
  struct epoll_event nothing = {.events = 0, .data.ptr = &hub->on_listener};
  epoll_ctl(hub->loop, EPOLL_CTL_MOD, hub->listener, &nothing);
  if (detent_schedule_after(hub->engine, 100 * MILLISECOND, listen_again, hub) == 0) not_scheduled();
}

static void on_connection(void* owner) {
  struct hub* hub = owner;
  for (;;) {
    int socket = accept4(hub->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      sensor_connect(hub, socket);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      failed("accept");
      pause_listening(hub);
      return;
    }
  }
}

static void on_signal(void* owner) { ((struct hub*)owner)->ending = true; }

// --- Opening ---

bool hub_watch(struct hub* hub, int descriptor, struct source* source) {
  struct epoll_event interest = {.events = EPOLLIN, .data.ptr = source};  // by level
  return epoll_ctl(hub->loop, EPOLL_CTL_ADD, descriptor, &interest) == 0;
}

static bool open_listener(struct hub* hub) {
  hub->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (hub->listener < 0) return failed("socket");
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(hub->options.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int yes = 1;
  setsockopt(hub->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(hub->listener, (struct sockaddr*)&address, size) != 0 || listen(hub->listener, SOMAXCONN) != 0 ||
      getsockname(hub->listener, (struct sockaddr*)&address, &size) != 0)
    return failed("listen");
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  hub->on_listener = (struct source){on_connection, hub};
  return hub_watch(hub, hub->listener, &hub->on_listener) || failed("epoll_ctl");
}

static bool open_signals(struct hub* hub) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  if (sigprocmask(SIG_BLOCK, &ends, NULL) != 0) return failed("sigprocmask");
  hub->signals = signalfd(-1, &ends, SFD_CLOEXEC);
  if (hub->signals < 0) return failed("signalfd");
  hub->on_signals = (struct source){on_signal, hub};
  return hub_watch(hub, hub->signals, &hub->on_signals) || failed("epoll_ctl");
}

static bool open_engine(struct hub* hub) {
  char why[256];
  detent_options wanted;
  detent_options_init(&wanted);
  wanted.drive = DETENT_DRIVE_CALLER;  // no thread of its own: hub_run() polls
  wanted.name = "sensor_hub";
  hub->engine = detent_engine_create(&wanted, why, sizeof why);
  if (hub->engine == NULL) {
    fprintf(stderr, "sensor_hub: %s\n", why);
    return false;
  }
  if (!hub_watch(hub, detent_wake_fd(hub->engine), NULL)) return failed("epoll_ctl");  // it wakes the loop, no more
  hub->started_ns = detent_now();
  int64_t period = hub->options.report_ns;
  return detent_schedule_at_fixed_rate(hub->engine, period, period, on_report, hub) != 0 || not_scheduled();
}

bool hub_open(struct hub* hub, const struct options* options) {
  *hub = (struct hub){.options = *options, .listener = -1, .signals = -1};
  hub->loop = epoll_create1(EPOLL_CLOEXEC);
  if (hub->loop < 0) return failed("epoll_create1");
  return open_signals(hub) && open_engine(hub) && open_listener(hub);
}

// --- Running ---

bool hub_run(struct hub* hub) {
  while (!hub->ending) {
    struct epoll_event ready[256];
    int count = epoll_wait(hub->loop, ready, 256, -1);
    if (count < 0 && errno != EINTR) return failed("epoll_wait");
    // Input first, timers last: no event of this batch points to a sensor that a timer has freed.
    for (int i = 0; i < count; ++i) {
      struct source* source = ready[i].data.ptr;
      if (source != NULL) source->on_ready(source->owner);
    }
    detent_poll(hub->engine, SIZE_MAX);  // also sets the descriptor to the next deadline; there is nothing to read from it
  }
  return true;
}

// --- Closing ---

static void count_unfired(void* argument, detent_timer timer, int64_t deadline_ns, detent_callback callback,
                          void* context) {
  (void)timer, (void)deadline_ns, (void)context;
  if (callback != on_report && callback != listen_again) ++*(int*)argument;
}

bool hub_close(struct hub* hub) {
  while (hub->sensors != NULL) {
    ++hub->counts.dropped;
    sensor_disconnect(hub->sensors);
  }
  int forgotten = 0;
  detent_metrics timers;
  detent_stop(hub->engine, count_unfired, &forgotten);
  bool read = detent_read_metrics(hub->engine, &timers) == 0;
  detent_engine_destroy(hub->engine);  // and its descriptor
  close(hub->listener);
  close(hub->signals);
  close(hub->loop);
  if (!read) return not_scheduled();

  const struct counts* seen = &hub->counts;
  printf("end: %llu sensors = %llu idle + %llu left + %llu dropped; %llu lines, %llu settled\n",
         (unsigned long long)seen->accepted, (unsigned long long)seen->idle, (unsigned long long)seen->left,
         (unsigned long long)seen->dropped, (unsigned long long)seen->lines, (unsigned long long)seen->settled);
  printf("timers: %llu scheduled = %llu expired + %llu cancelled + %llu returned; %llu restarts\n",
         (unsigned long long)timers.scheduled, (unsigned long long)timers.expired, (unsigned long long)timers.cancelled,
         (unsigned long long)timers.returned, (unsigned long long)timers.restarted);
  bool balanced = timers.scheduled == timers.expired + timers.cancelled + timers.returned;
  if (forgotten > 0 || !balanced) fprintf(stderr, "sensor_hub: %d timers forgotten\n", forgotten);
  return forgotten == 0 && balanced && seen->accepted == seen->idle + seen->left + seen->dropped;
}
