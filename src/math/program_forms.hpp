// The arithmetic that one fused instruction can do: a label, its form with dots for operands, and the same in C++.
// In a form the longer operand of + and * comes first, the alphabetically smaller one among equally long ones.
// Operations keep the order and the rounding of the basic program.
#pragma once

// clang-format off
#define ESCAPEMENT_FORMS(X) \
  X(form1, "(.+.)", A + B) \
  X(form2, "(.-.)", A - B) \
  X(form3, "(.*.)", A * B) \
  X(form4, "((.*.)+.)", (A * B) + C) \
  X(form5, "(.-(.*.))", A - (B * C)) \
  X(form6, "(((.*.)*.)+.)", ((A * B) * C) + D) \
  X(form7, "(.-((.*.)*.))", A - ((B * C) * D)) \
  X(form8, "((.*.)-.)", (A * B) - C) \
  X(form9, "((.*.)+(.*.))", (A * B) + (C * D)) \
  X(form10, "((.*.)-(.*.))", (A * B) - (C * D)) \
  X(form11, "(((.*.)*.)+(.*.))", ((A * B) * C) + (D * E)) \
  X(form12, "((.*.)-((.*.)*.))", (A * B) - ((C * D) * E)) \
  X(form13, "(((.*.)*.)-.)", ((A * B) * C) - D) \
  X(form14, "(((.*.)*.)-(.*.))", ((A * B) * C) - (D * E)) \
  X(form15, "(((.*.)*.)+((.*.)*.))", ((A * B) * C) + ((D * E) * F)) \
  X(form16, "(((.*.)*.)-((.*.)*.))", ((A * B) * C) - ((D * E) * F)) \
  X(form17, "((.+.)+.)", (A + B) + C) \
  X(form18, "((.+.)-.)", (A + B) - C) \
  X(form19, "((.-.)-.)", (A - B) - C) \
  X(form20, "((.-.)+.)", (A - B) + C) \
  X(form21, "((.*.)+(.+.))", (A * B) + (C + D)) \
  X(form22, "((.+.)-(.*.))", (A + B) - (C * D)) \
  X(form23, "((.-.)-(.*.))", (A - B) - (C * D)) \
  X(form24, "((.*.)+(.-.))", (A * B) + (C - D)) \
  X(form25, "(((.*.)+.)+.)", ((A * B) + C) + D) \
  X(form26, "(((.*.)+.)-.)", ((A * B) + C) - D) \
  X(form27, "((.-(.*.))-.)", (A - (B * C)) - D) \
  X(form28, "((.-(.*.))+.)", (A - (B * C)) + D) \
  X(form29, "(((.*.)+.)+(.*.))", ((A * B) + C) + (D * E)) \
  X(form30, "(((.*.)+.)-(.*.))", ((A * B) + C) - (D * E)) \
  X(form31, "((.-(.*.))-(.*.))", (A - (B * C)) - (D * E)) \
  X(form32, "((.-(.*.))+(.*.))", (A - (B * C)) + (D * E)) \
  X(form33, "(((.*.)-.)-.)", ((A * B) - C) - D) \
  X(form34, "(((.*.)-.)+.)", ((A * B) - C) + D) \
  X(form35, "(((.*.)-.)-(.*.))", ((A * B) - C) - (D * E)) \
  X(form36, "(((.*.)-.)+(.*.))", ((A * B) - C) + (D * E)) \
  X(form37, "(((.*.)+(.*.))+.)", ((A * B) + (C * D)) + E) \
  X(form38, "(((.*.)+(.*.))-.)", ((A * B) + (C * D)) - E) \
  X(form39, "(((.*.)-(.*.))-.)", ((A * B) - (C * D)) - E) \
  X(form40, "(((.*.)-(.*.))+.)", ((A * B) - (C * D)) + E) \
  X(form41, "(((.*.)+(.*.))+(.*.))", ((A * B) + (C * D)) + (E * F)) \
  X(form42, "(((.*.)+(.*.))-(.*.))", ((A * B) + (C * D)) - (E * F)) \
  X(form43, "(((.*.)-(.*.))-(.*.))", ((A * B) - (C * D)) - (E * F)) \
  X(form44, "(((.*.)-(.*.))+(.*.))", ((A * B) - (C * D)) + (E * F)) \
  X(form45, "((.*.)*.)", (A * B) * C) \
  X(form46, "(((.*.)*.)*.)", ((A * B) * C) * D) \
  X(form47, "((.*.)*(.*.))", (A * B) * (C * D)) \
  X(form48, "((.+.)*.)", (A + B) * C) \
  X(form49, "(((.+.)*.)*.)", ((A + B) * C) * D) \
  X(form50, "((.*.)*(.+.))", (A * B) * (C + D)) \
  X(form51, "((.-.)*.)", (A - B) * C) \
  X(form52, "(((.-.)*.)*.)", ((A - B) * C) * D) \
  X(form53, "((.*.)*(.-.))", (A * B) * (C - D)) \
  X(form54, "((.+.)*(.+.))", (A + B) * (C + D)) \
  X(form55, "((.+.)*(.-.))", (A + B) * (C - D)) \
  X(form56, "((.-.)*(.-.))", (A - B) * (C - D))
// clang-format on
