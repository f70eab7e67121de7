#include "CBoard.h"

// The compiler puts the files in: they are part of the program, and a change of one of them makes it anew.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char account_parts_js[] = {
#embed "../Board/page/account-parts.js"
};
static const unsigned char account_js[] = {
#embed "../Board/page/account.js"
};
static const unsigned char accounts_css[] = {
#embed "../Board/page/accounts.css"
};
static const unsigned char accounts_js[] = {
#embed "../Board/page/accounts.js"
};
static const unsigned char actions_js[] = {
#embed "../Board/page/actions.js"
};
static const unsigned char adding_js[] = {
#embed "../Board/page/adding.js"
};
static const unsigned char address_js[] = {
#embed "../Board/page/address.js"
};
static const unsigned char announcer_js[] = {
#embed "../Board/page/announcer.js"
};
static const unsigned char app_js[] = {
#embed "../Board/page/app.js"
};
static const unsigned char board_css[] = {
#embed "../Board/page/board.css"
};
static const unsigned char bodies_js[] = {
#embed "../Board/page/bodies.js"
};
static const unsigned char card_tools_js[] = {
#embed "../Board/page/card-tools.js"
};
static const unsigned char cards_js[] = {
#embed "../Board/page/cards.js"
};
static const unsigned char carets_js[] = {
#embed "../Board/page/carets.js"
};
static const unsigned char clipboard_js[] = {
#embed "../Board/page/clipboard.js"
};
static const unsigned char company_js[] = {
#embed "../Board/page/company.js"
};
static const unsigned char crowd_js[] = {
#embed "../Board/page/crowd.js"
};
static const unsigned char cursors_js[] = {
#embed "../Board/page/cursors.js"
};
static const unsigned char devices_js[] = {
#embed "../Board/page/devices.js"
};
static const unsigned char door_js[] = {
#embed "../Board/page/door.js"
};
static const unsigned char drafts_js[] = {
#embed "../Board/page/drafts.js"
};
static const unsigned char elements_js[] = {
#embed "../Board/page/elements.js"
};
static const unsigned char entrance_js[] = {
#embed "../Board/page/entrance.js"
};
static const unsigned char entry_js[] = {
#embed "../Board/page/entry.js"
};
static const unsigned char ethereum_js[] = {
#embed "../Board/page/ethereum.js"
};
static const unsigned char export_js[] = {
#embed "../Board/page/export.js"
};
static const unsigned char finger_selection_js[] = {
#embed "../Board/page/finger-selection.js"
};
static const unsigned char forms_js[] = {
#embed "../Board/page/forms.js"
};
static const unsigned char glide_js[] = {
#embed "../Board/page/glide.js"
};
static const unsigned char history_js[] = {
#embed "../Board/page/history.js"
};
static const unsigned char icon_svg[] = {
#embed "../Board/page/icon.svg"
};
static const unsigned char identity_js[] = {
#embed "../Board/page/identity.js"
};
static const unsigned char index_html[] = {
#embed "../Board/page/index.html"
};
static const unsigned char invitations_js[] = {
#embed "../Board/page/invitations.js"
};
static const unsigned char inviting_js[] = {
#embed "../Board/page/inviting.js"
};
static const unsigned char keeping_js[] = {
#embed "../Board/page/keeping.js"
};
static const unsigned char keys_js[] = {
#embed "../Board/page/keys.js"
};
static const unsigned char media_js[] = {
#embed "../Board/page/media.js"
};
static const unsigned char move_pace_js[] = {
#embed "../Board/page/move-pace.js"
};
static const unsigned char my_rooms_js[] = {
#embed "../Board/page/my-rooms.js"
};
static const unsigned char newest_js[] = {
#embed "../Board/page/newest.js"
};
static const unsigned char outbox_js[] = {
#embed "../Board/page/outbox.js"
};
static const unsigned char own_caret_js[] = {
#embed "../Board/page/own-caret.js"
};
static const unsigned char own_data_js[] = {
#embed "../Board/page/own-data.js"
};
static const unsigned char own_touch_js[] = {
#embed "../Board/page/own-touch.js"
};
static const unsigned char pace_js[] = {
#embed "../Board/page/pace.js"
};
static const unsigned char pages_js[] = {
#embed "../Board/page/pages.js"
};
static const unsigned char passkeys_js[] = {
#embed "../Board/page/passkeys.js"
};
static const unsigned char people_js[] = {
#embed "../Board/page/people.js"
};
static const unsigned char placing_js[] = {
#embed "../Board/page/placing.js"
};
static const unsigned char playback_js[] = {
#embed "../Board/page/playback.js"
};
static const unsigned char player_css[] = {
#embed "../Board/page/player.css"
};
static const unsigned char player_html[] = {
#embed "../Board/page/player.html"
};
static const unsigned char player_js[] = {
#embed "../Board/page/player.js"
};
static const unsigned char qr_js[] = {
#embed "../Board/page/qr.js"
};
static const unsigned char recorder_js[] = {
#embed "../Board/page/recorder.js"
};
static const unsigned char recording_js[] = {
#embed "../Board/page/recording.js"
};
static const unsigned char requests_js[] = {
#embed "../Board/page/requests.js"
};
static const unsigned char room_recordings_js[] = {
#embed "../Board/page/room-recordings.js"
};
static const unsigned char room_js[] = {
#embed "../Board/page/room.js"
};
static const unsigned char rooms_js[] = {
#embed "../Board/page/rooms.js"
};
static const unsigned char roving_js[] = {
#embed "../Board/page/roving.js"
};
static const unsigned char rows_js[] = {
#embed "../Board/page/rows.js"
};
static const unsigned char selection_js[] = {
#embed "../Board/page/selection.js"
};
static const unsigned char sender_js[] = {
#embed "../Board/page/sender.js"
};
static const unsigned char session_js[] = {
#embed "../Board/page/session.js"
};
static const unsigned char sharing_js[] = {
#embed "../Board/page/sharing.js"
};
static const unsigned char sight_js[] = {
#embed "../Board/page/sight.js"
};
static const unsigned char socket_js[] = {
#embed "../Board/page/socket.js"
};
static const unsigned char source_js[] = {
#embed "../Board/page/source.js"
};
static const unsigned char stage_js[] = {
#embed "../Board/page/stage.js"
};
static const unsigned char standing_js[] = {
#embed "../Board/page/standing.js"
};
static const unsigned char status_js[] = {
#embed "../Board/page/status.js"
};
static const unsigned char text_difference_js[] = {
#embed "../Board/page/text-difference.js"
};
static const unsigned char text_edit_js[] = {
#embed "../Board/page/text-edit.js"
};
static const unsigned char text_writer_js[] = {
#embed "../Board/page/text-writer.js"
};
static const unsigned char ticks_js[] = {
#embed "../Board/page/ticks.js"
};
static const unsigned char transports_js[] = {
#embed "../Board/page/transports.js"
};
static const unsigned char undoing_js[] = {
#embed "../Board/page/undoing.js"
};
static const unsigned char unique_js[] = {
#embed "../Board/page/unique.js"
};
static const unsigned char uploads_js[] = {
#embed "../Board/page/uploads.js"
};
static const unsigned char wallets_js[] = {
#embed "../Board/page/wallets.js"
};
static const unsigned char welcome_js[] = {
#embed "../Board/page/welcome.js"
};
static const unsigned char writing_js[] = {
#embed "../Board/page/writing.js"
};

#define FILE_ENTRY(name, bytes) {name, bytes, sizeof bytes}

static const struct rooms_board_file files[] = {
    FILE_ENTRY("account-parts.js", account_parts_js),
    FILE_ENTRY("account.js", account_js),
    FILE_ENTRY("accounts.css", accounts_css),
    FILE_ENTRY("accounts.js", accounts_js),
    FILE_ENTRY("actions.js", actions_js),
    FILE_ENTRY("adding.js", adding_js),
    FILE_ENTRY("address.js", address_js),
    FILE_ENTRY("announcer.js", announcer_js),
    FILE_ENTRY("app.js", app_js),
    FILE_ENTRY("board.css", board_css),
    FILE_ENTRY("bodies.js", bodies_js),
    FILE_ENTRY("card-tools.js", card_tools_js),
    FILE_ENTRY("cards.js", cards_js),
    FILE_ENTRY("carets.js", carets_js),
    FILE_ENTRY("clipboard.js", clipboard_js),
    FILE_ENTRY("company.js", company_js),
    FILE_ENTRY("crowd.js", crowd_js),
    FILE_ENTRY("cursors.js", cursors_js),
    FILE_ENTRY("devices.js", devices_js),
    FILE_ENTRY("door.js", door_js),
    FILE_ENTRY("drafts.js", drafts_js),
    FILE_ENTRY("elements.js", elements_js),
    FILE_ENTRY("entrance.js", entrance_js),
    FILE_ENTRY("entry.js", entry_js),
    FILE_ENTRY("ethereum.js", ethereum_js),
    FILE_ENTRY("export.js", export_js),
    FILE_ENTRY("finger-selection.js", finger_selection_js),
    FILE_ENTRY("forms.js", forms_js),
    FILE_ENTRY("glide.js", glide_js),
    FILE_ENTRY("history.js", history_js),
    FILE_ENTRY("icon.svg", icon_svg),
    FILE_ENTRY("identity.js", identity_js),
    FILE_ENTRY("index.html", index_html),
    FILE_ENTRY("invitations.js", invitations_js),
    FILE_ENTRY("inviting.js", inviting_js),
    FILE_ENTRY("keeping.js", keeping_js),
    FILE_ENTRY("keys.js", keys_js),
    FILE_ENTRY("media.js", media_js),
    FILE_ENTRY("move-pace.js", move_pace_js),
    FILE_ENTRY("my-rooms.js", my_rooms_js),
    FILE_ENTRY("newest.js", newest_js),
    FILE_ENTRY("outbox.js", outbox_js),
    FILE_ENTRY("own-caret.js", own_caret_js),
    FILE_ENTRY("own-data.js", own_data_js),
    FILE_ENTRY("own-touch.js", own_touch_js),
    FILE_ENTRY("pace.js", pace_js),
    FILE_ENTRY("pages.js", pages_js),
    FILE_ENTRY("passkeys.js", passkeys_js),
    FILE_ENTRY("people.js", people_js),
    FILE_ENTRY("placing.js", placing_js),
    FILE_ENTRY("playback.js", playback_js),
    FILE_ENTRY("player.css", player_css),
    FILE_ENTRY("player.html", player_html),
    FILE_ENTRY("player.js", player_js),
    FILE_ENTRY("qr.js", qr_js),
    FILE_ENTRY("recorder.js", recorder_js),
    FILE_ENTRY("recording.js", recording_js),
    FILE_ENTRY("requests.js", requests_js),
    FILE_ENTRY("room-recordings.js", room_recordings_js),
    FILE_ENTRY("room.js", room_js),
    FILE_ENTRY("rooms.js", rooms_js),
    FILE_ENTRY("roving.js", roving_js),
    FILE_ENTRY("rows.js", rows_js),
    FILE_ENTRY("selection.js", selection_js),
    FILE_ENTRY("sender.js", sender_js),
    FILE_ENTRY("session.js", session_js),
    FILE_ENTRY("sharing.js", sharing_js),
    FILE_ENTRY("sight.js", sight_js),
    FILE_ENTRY("socket.js", socket_js),
    FILE_ENTRY("source.js", source_js),
    FILE_ENTRY("stage.js", stage_js),
    FILE_ENTRY("standing.js", standing_js),
    FILE_ENTRY("status.js", status_js),
    FILE_ENTRY("text-difference.js", text_difference_js),
    FILE_ENTRY("text-edit.js", text_edit_js),
    FILE_ENTRY("text-writer.js", text_writer_js),
    FILE_ENTRY("ticks.js", ticks_js),
    FILE_ENTRY("transports.js", transports_js),
    FILE_ENTRY("undoing.js", undoing_js),
    FILE_ENTRY("unique.js", unique_js),
    FILE_ENTRY("uploads.js", uploads_js),
    FILE_ENTRY("wallets.js", wallets_js),
    FILE_ENTRY("welcome.js", welcome_js),
    FILE_ENTRY("writing.js", writing_js),
};

const struct rooms_board_file *rooms_board_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
