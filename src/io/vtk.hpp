// The moving picture for ParaView: NAME.pvd names one file of points, lines and faces per frame.
#pragma once

#include <string>

#include "run/picture.hpp"
#include "run/result.hpp"

namespace escapement::inline io {

// writes NAME.pvd and NAME_vtk/frame_00000.vtp and so on, at most `most` frames; throws ReportError, WriteError
// cells carry `object`: the position of their body or shape in the lists of the .pvd file's comment
void write_vtk(const Result&, const Picture&, const std::string& name, std::size_t most = 2000);

}  // namespace escapement
