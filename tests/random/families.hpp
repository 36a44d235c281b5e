#pragma once

#include "draw.hpp"
#include "model.hpp"

Model draw_model(Draw& draw);
