#include "CConsole.h"

// The compiler puts the files in: they are part of the program, and a change of one of them makes it anew.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char actions_js[] = {
#embed "../Operations/page/actions.js"
};
static const unsigned char app_js[] = {
#embed "../Operations/page/app.js"
};
static const unsigned char bans_js[] = {
#embed "../Operations/page/bans.js"
};
static const unsigned char chart_js[] = {
#embed "../Operations/page/chart.js"
};
static const unsigned char cluster_js[] = {
#embed "../Operations/page/cluster.js"
};
static const unsigned char console_css[] = {
#embed "../Operations/page/console.css"
};
static const unsigned char door_js[] = {
#embed "../Operations/page/door.js"
};
static const unsigned char format_js[] = {
#embed "../Operations/page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "../Operations/page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../Operations/page/index.html"
};
static const unsigned char newest_js[] = {
#embed "../Operations/page/newest.js"
};
static const unsigned char nodes_js[] = {
#embed "../Operations/page/nodes.js"
};
static const unsigned char overview_js[] = {
#embed "../Operations/page/overview.js"
};
static const unsigned char pages_js[] = {
#embed "../Operations/page/pages.js"
};
static const unsigned char past_js[] = {
#embed "../Operations/page/past.js"
};
static const unsigned char picture_js[] = {
#embed "../Operations/page/picture.js"
};
static const unsigned char problems_js[] = {
#embed "../Operations/page/problems.js"
};
static const unsigned char rates_js[] = {
#embed "../Operations/page/rates.js"
};
static const unsigned char room_js[] = {
#embed "../Operations/page/room.js"
};
static const unsigned char rooms_js[] = {
#embed "../Operations/page/rooms.js"
};
static const unsigned char rows_js[] = {
#embed "../Operations/page/rows.js"
};
static const unsigned char search_js[] = {
#embed "../Operations/page/search.js"
};

#define FILE_ENTRY(name, bytes) {name, bytes, sizeof bytes}

static const struct rooms_console_file files[] = {
    FILE_ENTRY("actions.js", actions_js),
    FILE_ENTRY("app.js", app_js),
    FILE_ENTRY("bans.js", bans_js),
    FILE_ENTRY("chart.js", chart_js),
    FILE_ENTRY("cluster.js", cluster_js),
    FILE_ENTRY("console.css", console_css),
    FILE_ENTRY("door.js", door_js),
    FILE_ENTRY("format.js", format_js),
    FILE_ENTRY("icon.svg", icon_svg),
    FILE_ENTRY("index.html", index_html),
    FILE_ENTRY("newest.js", newest_js),
    FILE_ENTRY("nodes.js", nodes_js),
    FILE_ENTRY("overview.js", overview_js),
    FILE_ENTRY("pages.js", pages_js),
    FILE_ENTRY("past.js", past_js),
    FILE_ENTRY("picture.js", picture_js),
    FILE_ENTRY("problems.js", problems_js),
    FILE_ENTRY("rates.js", rates_js),
    FILE_ENTRY("room.js", room_js),
    FILE_ENTRY("rooms.js", rooms_js),
    FILE_ENTRY("rows.js", rows_js),
    FILE_ENTRY("search.js", search_js),
};

const struct rooms_console_file *rooms_console_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
