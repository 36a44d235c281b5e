// Sticking contacts whose slips others hold.
#pragma once

#include "system/active_view.hpp"

namespace escapement::inline simulate {

// finds them and tells the view, at s
void hold_slips(ActiveView&, const State& s);
// the part of a contact's friction that lies in a direction in which others hold the slip
double idle_friction(const ActiveView&, int contact, const ActiveView::Direction& friction);

}  // namespace escapement
