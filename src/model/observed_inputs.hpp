// Quantities of a mechanism that outputs and stop conditions alone may use, behind the inputs of another source.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model/frame.hpp"
#include "model/state_function.hpp"

namespace escapement::inline model {

template <int D>
class ObservedInputs : public StateInputs {
 public:
  using Quantity = std::function<double(const Motion<D>&)>;

  ObservedInputs(std::shared_ptr<const StateInputs> base, int base_count, int bodies)
      : base_(std::move(base)), base_count_(base_count), bodies_(bodies) {}
  void observe(Quantity quantity) { quantities_.push_back(std::move(quantity)); }

  std::size_t work_size() const override {
    return base_->work_size() + static_cast<std::size_t>(bodies_ + 1) * sizeof(Frame<D>) / sizeof(double);
  }
  void prepare(Work& work) const override {
    base_->prepare(work);
    work.numbers.resize(work_size());
  }
  void fill(const State& s, std::span<const int> used, double* in, Work& work) const override {
    const std::span<const int> of_base = below(base_count_, used);
    base_->fill(s, of_base, in, work);
    if (of_base.size() == used.size()) return;
    Frame<D>* frames = reinterpret_cast<Frame<D>*>(work.numbers.data() + base_->work_size());
    set_frames(s, bodies_, frames);
    const Motion<D> m{frames, s.t, s.z.data(), nullptr};
    for (std::size_t k = of_base.size(); k < used.size(); ++k)
      in[k] = quantities_[static_cast<std::size_t>(used[k] - base_count_)](m);
  }

 private:
  std::shared_ptr<const StateInputs> base_;
  int base_count_, bodies_;
  std::vector<Quantity> quantities_;
};

}  // namespace escapement
