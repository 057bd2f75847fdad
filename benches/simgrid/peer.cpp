// What `benches/simgrid/pair` times beside hetsim, written for SimGrid (3.30 or later):
//
//   peer messages HOSTS FILE      messages of a file (from, to, bytes), which all start together
//   peer broadcast HOSTS BYTES    a binomial broadcast: a rank that has the message starts all its sends at once
//   peer farm WORKERS TASKS       workers that ask for equal tasks, one at a time; the master is host 0
//
// All hosts are on a star of links of 50 us and 125 MB/s. The simulated seconds are printed.
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

static constexpr double SPEED = 1e9;

// A zone whose hosts have a cable each, of the same bandwidth in both directions.
static std::vector<s4u::Host*> star(int hosts)
{
  auto* zone = s4u::create_star_zone("star");
  std::vector<s4u::Host*> all;
  for (int number = 0; number < hosts; number++) {
    const std::string name = std::to_string(number);
    auto* host = zone->create_host("host-" + name, SPEED)->seal();
    auto* link = zone->create_split_duplex_link("link-" + name, 125e6)->set_latency(50e-6)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
    all.push_back(host);
  }
  zone->seal();
  return all;
}

static void messages(const std::vector<s4u::Host*>& hosts, const char* file)
{
  std::ifstream lines(file);
  std::vector<s4u::CommPtr> started;
  unsigned from, to;
  std::uint64_t bytes;
  while (lines >> from >> to >> bytes)
    started.push_back(s4u::Comm::sendto_async(hosts[from], hosts[to], bytes));
  for (auto& message : started)
    message->wait();
}

static char nothing, no_more;

static void rank(int me, int ranks, std::uint64_t bytes)
{
  int reach = 1;
  if (me > 0) {
    s4u::Mailbox::by_name(std::to_string(me))->get<char>();
    while (reach <= me)
      reach *= 2;
  }
  std::vector<s4u::CommPtr> started;
  for (; me + reach < ranks; reach *= 2)
    started.push_back(s4u::Mailbox::by_name(std::to_string(me + reach))->put_async(&nothing, bytes));
  for (auto& message : started)
    message->wait();
}

static void worker(int me, s4u::Mailbox* master)
{
  static std::vector<int> names(1 << 24);
  names[me]  = me;
  auto* mine = s4u::Mailbox::by_name(std::to_string(me));
  for (int result = 0;; result = 100) {
    master->put(&names[me], result);
    if (mine->get<char>() == &no_more)
      return;
    s4u::this_actor::execute(0.1 * SPEED);
  }
}

static double last_result;

static void serve(int workers, int tasks, s4u::Mailbox* master)
{
  master->set_receiver(s4u::Actor::self()); // messages do not wait for its call
  for (int task = 0; task < tasks + workers; task++) {
    const int to = *master->get<int>();
    last_result  = s4u::Engine::get_clock();
    auto* box    = s4u::Mailbox::by_name(std::to_string(to));
    box->put_init(task < tasks ? &nothing : &no_more, 100)->detach();
  }
}

int main(int argc, char** argv)
{
  s4u::Engine engine(&argc, argv);
  if (argc < 4) {
    std::fprintf(stderr, "peer messages HOSTS FILE | broadcast HOSTS BYTES | farm WORKERS TASKS\n");
    return 2;
  }
  const std::string what = argv[1];
  const int count        = std::stoi(argv[2]);
  const auto hosts       = star(what == "farm" ? count + 1 : count);
  if (what == "messages") {
    const char* file = argv[3];
    s4u::Actor::create("all", hosts[0], [&hosts, file] { messages(hosts, file); });
  } else if (what == "broadcast") {
    const std::uint64_t bytes = std::stoull(argv[3]);
    for (int me = 0; me < count; me++)
      s4u::Actor::create("rank", hosts[me], rank, me, count, bytes);
  } else {
    auto* master = s4u::Mailbox::by_name("master");
    s4u::Actor::create("master", hosts[0], serve, count, std::stoi(argv[3]), master);
    for (int me = 1; me <= count; me++)
      s4u::Actor::create("worker", hosts[me], worker, me, master);
  }
  engine.run();
  std::printf("%.12g\n", what == "farm" ? last_result : s4u::Engine::get_clock());
  return 0;
}
