#include "math/elimination.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace escapement::inline math {

namespace {

using List = std::vector<int>;

void sort_unique(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// the graph of blocks: unknowns with equal patterns are one node; motion nodes first, then row nodes
struct Blocks {
  std::vector<List> members;
  std::vector<List> neighbours;  // sorted, without the node itself
  int motion = 0;                // number of nodes of A's unknowns

  bool is_row(int node) const { return node >= motion; }
  int size(int node) const { return static_cast<int>(members[node].size()); }
};

// neighbours in A that the same rows hold are one body, whether or not A couples them
void couple_equal_columns(std::vector<List>& graph, int n) {
  constexpr int widest = 6;  // a body in space
  const auto rows_of = [&](int u) {
    return std::pair(std::lower_bound(graph[u].begin(), graph[u].end(), n), graph[u].end());
  };
  const auto same_rows = [&](int u, int w) {
    const auto [first, last] = rows_of(u);
    const auto [other, end] = rows_of(w);
    return first != last && std::equal(first, last, other, end);
  };
  List all;
  for (int first = 0, last; first < n; first = last) {
    last = first + 1;
    while (last < n && last - first < widest && same_rows(first, last)) ++last;
    all.clear();
    for (int u = first; u < last; ++u) all.insert(all.end(), graph[u].begin(), graph[u].end());
    sort_unique(all);
    for (int u : all)
      if (u < first || u >= last) {
        for (int w = first; w < last; ++w) graph[u].push_back(w);
        sort_unique(graph[u]);
      }
    for (int u = first; u < last; ++u) graph[u] = all;
  }
}

std::vector<List> unknown_graph(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, int rows) {
  const int n = A.rows();
  std::vector<List> graph(n + rows);
  const auto connect = [&](int i, int j) {
    graph[i].push_back(j);
    graph[j].push_back(i);
  };
  for (int i = 0; i < n; ++i) {
    graph[i].push_back(i);  // closed for unknowns of A: coupled ones with equal patterns belong together
    A.for_each_in_row(i, [&](int j, double) { connect(i, j); });
  }
  for (const Matrix* G : {&G_top, &G_bottom})
    for (int i = 0; i < rows; ++i) G->for_each_in_row(i, [&](int j, double) { connect(n + i, j); });
  for (List& list : graph) sort_unique(list);
  couple_equal_columns(graph, n);
  return graph;
}

Blocks make_blocks(const std::vector<List>& graph, int n) {
  Blocks blocks;
  List node_of(graph.size());
  std::map<List, int> known;
  for (std::size_t u = 0; u < graph.size(); ++u) {
    if (static_cast<int>(u) == n) {
      blocks.motion = static_cast<int>(blocks.members.size());
      known.clear();
    }
    const auto [place, fresh] = known.emplace(graph[u], static_cast<int>(blocks.members.size()));
    if (fresh) blocks.members.emplace_back();
    node_of[u] = place->second;
    blocks.members[place->second].push_back(static_cast<int>(u));
  }
  if (graph.size() == static_cast<std::size_t>(n)) blocks.motion = static_cast<int>(blocks.members.size());
  blocks.neighbours.resize(blocks.members.size());
  for (std::size_t node = 0; node < blocks.members.size(); ++node) {
    List& list = blocks.neighbours[node];
    for (int u : graph[blocks.members[node].front()]) list.push_back(node_of[u]);
    sort_unique(list);
    std::erase(list, static_cast<int>(node));
  }
  return blocks;
}

// for every row node the motion nodes that must have been eliminated before it
std::vector<List> requirements(const Blocks& blocks) {
  const int count = static_cast<int>(blocks.members.size());
  std::vector<List> needs(count);
  List parent(blocks.motion, -1), depth(blocks.motion, -1);
  std::queue<int> reached;
  std::vector<char> in_tree(count, 0);

  const auto grow = [&](int row, int body, int from) {
    if (depth[body] >= 0 || blocks.size(row) > blocks.size(body)) return;
    depth[body] = from < 0 ? 0 : depth[from] + 1;
    parent[body] = from;
    in_tree[row] = 1;
    needs[row] = {body};
    reached.push(body);
  };
  // rows on one body only tie it to the ground: the roots
  for (int row = blocks.motion; row < count; ++row)
    if (blocks.neighbours[row].size() == 1) grow(row, blocks.neighbours[row][0], -1);
  for (int root = 0; root <= blocks.motion; ++root) {
    for (; !reached.empty(); reached.pop()) {
      const int body = reached.front();
      for (int row : blocks.neighbours[body]) {
        if (!blocks.is_row(row) || in_tree[row] || blocks.neighbours[row].size() != 2) continue;
        const List& pair = blocks.neighbours[row];
        grow(row, pair[0] == body ? pair[1] : pair[0], body);
      }
    }
    // a component without ground: any body is its root
    if (root < blocks.motion && depth[root] < 0) {
      depth[root] = 0;
      reached.push(root);
    }
  }

  // loop closers: the paths from their bodies to where they meet
  std::size_t total = 0;
  const std::size_t limit = 100 * static_cast<std::size_t>(count);
  for (int row = blocks.motion; row < count; ++row) {
    if (in_tree[row]) continue;
    List front = blocks.neighbours[row];
    bool grounded = front.size() == 1;
    while (!front.empty() && (grounded || front.size() > 1)) {
      const auto deepest =
          std::max_element(front.begin(), front.end(), [&](int a, int b) { return depth[a] < depth[b]; });
      const int body = *deepest;
      needs[row].push_back(body);
      *deepest = parent[body];
      if (parent[body] < 0) {
        grounded = true;
        front.erase(deepest);
      }
      sort_unique(front);
      if (++total > limit) break;
    }
    if (total > limit) {  // very many long loops: wait for everything
      needs[row].resize(blocks.motion);
      for (int body = 0; body < blocks.motion; ++body) needs[row][body] = body;
    }
    sort_unique(needs[row]);
  }
  return needs;
}

struct Step {
  int node;
  List touches;  // later nodes, any order
};

// minimum degree among the nodes whose requirements are met
std::vector<Step> order_blocks(const Blocks& blocks) {
  const int count = static_cast<int>(blocks.members.size());
  const std::vector<List> needs = requirements(blocks);
  std::vector<List> waiting(blocks.motion);  // rows that wait for this body
  List missing(count, 0);
  for (int row = blocks.motion; row < count; ++row) {
    missing[row] = static_cast<int>(needs[row].size());
    for (int body : needs[row]) waiting[body].push_back(row);
  }

  std::vector<List> graph = blocks.neighbours;
  std::vector<char> done(count, 0);
  List degree(count, 0);
  using Candidate = std::pair<int, int>;  // degree, node
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto enqueue = [&](int node) {
    degree[node] = 0;
    for (int other : graph[node]) degree[node] += blocks.size(other);
    if (missing[node] == 0) queue.emplace(degree[node], node);
  };
  for (int node = 0; node < count; ++node) enqueue(node);

  std::vector<Step> steps;
  List merged;
  while (!queue.empty()) {
    const int at = queue.top().first, node = queue.top().second;
    queue.pop();
    if (done[node] || at != degree[node]) continue;
    done[node] = 1;
    if (!blocks.is_row(node))
      for (int row : waiting[node])
        if (--missing[row] == 0) enqueue(row);
    for (int other : graph[node]) {
      merged.clear();
      std::set_union(graph[other].begin(), graph[other].end(), graph[node].begin(), graph[node].end(),
                     std::back_inserter(merged));
      std::erase_if(merged, [&](int k) { return k == other || k == node; });
      graph[other] = merged;
      enqueue(other);
    }
    steps.push_back({node, std::move(graph[node])});
  }
  return steps;
}

// steps that a later one can absorb without fill become one front; fronts are put in post-order
Elimination make_fronts(const Blocks& blocks, const std::vector<Step>& steps) {
  const int count = static_cast<int>(steps.size());
  List when(count);
  for (int k = 0; k < count; ++k) when[steps[k].node] = k;
  std::vector<List> touches(count);  // as steps, ascending
  List parent(count, -1), absorbs(count, -1), absorbed(count, 0);
  for (int k = 0; k < count; ++k) {
    for (int node : steps[k].touches) touches[k].push_back(when[node]);
    std::sort(touches[k].begin(), touches[k].end());
    if (!touches[k].empty()) parent[k] = touches[k][0];
  }
  for (int k = 0; k < count; ++k) {
    const int p = parent[k];
    if (p < 0 || absorbs[p] >= 0 || touches[k].size() != touches[p].size() + 1) continue;
    if (!std::equal(touches[p].begin(), touches[p].end(), touches[k].begin() + 1)) continue;
    absorbs[p] = k;
    absorbed[k] = 1;
  }

  // the last step of each front stands for it
  List head(count);
  for (int k = count - 1; k >= 0; --k) head[k] = absorbed[k] ? head[parent[k]] : k;
  std::vector<List> children(count);
  List roots;
  for (int k = 0; k < count; ++k) {
    if (absorbed[k]) continue;
    (parent[k] < 0 ? roots : children[head[parent[k]]]).push_back(k);
  }

  Elimination result;
  List place(count, -1);
  std::vector<std::pair<int, std::size_t>> stack;  // front's head, next child
  for (int root : roots) {
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [k, next] = stack.back();
      if (next < children[k].size()) {
        stack.emplace_back(children[k][next++], 0);
        continue;
      }
      Elimination::Front front;
      List chain;
      for (int step = k; step >= 0; step = absorbs[step]) chain.push_back(step);
      std::reverse(chain.begin(), chain.end());
      for (int step : chain) {
        const List& members = blocks.members[steps[step].node];
        front.unknowns.insert(front.unknowns.end(), members.begin(), members.end());
      }
      front.pivots = static_cast<int>(front.unknowns.size());
      for (int step : touches[k]) {
        const List& members = blocks.members[steps[step].node];
        front.unknowns.insert(front.unknowns.end(), members.begin(), members.end());
      }
      front.parent = parent[k] < 0 ? -1 : head[parent[k]];  // as a head for now
      place[k] = static_cast<int>(result.fronts.size());
      result.fronts.push_back(std::move(front));
      stack.pop_back();
    }
  }
  for (Elimination::Front& front : result.fronts)
    if (front.parent >= 0) front.parent = place[front.parent];
  return result;
}

}  // namespace

Elimination find_elimination(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, int rows) {
  const Blocks blocks = make_blocks(unknown_graph(A, G_top, G_bottom, rows), A.rows());
  return make_fronts(blocks, order_blocks(blocks));
}

}  // namespace escapement
