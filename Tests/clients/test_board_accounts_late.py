"""The board of a server with accounts when answers come late: after others that were asked for later, or when the user has gone on."""

from support.account_page import User, server, user, username, visitors
from support.accounts import PASSWORD
from support.authenticator import Authenticator
from support.late_answers import hold_answer, lose_answers, release_answer, wait_until_held
from support.texts import telephone
from support.waiting import eventually
from test_board_passkeys import NAME, add_passkey, device, listed, open_passkeys, own_ids

__all__ = ["device", "server", "user", "visitors"]


class TestComingIn:
    def test_a_code_that_is_sent_late_does_not_cover_the_board(self, visitors, user):
        page = visitors(room=user.make_room())
        page.shows("sign-in")
        hold_answer(page, "/api/auth/codes", "POST")
        page.use("#to-phone")
        page.fill(phone=telephone())
        page.use("#phone-form button")
        wait_until_held(page)
        page.press("Escape")
        page.sign_in(user.email).enters()
        release_answer(page)
        assert page.ask("document.body.classList.contains('covered')") is False

    def test_of_two_ways_in_the_first_that_succeeds_counts(self, visitors, user):
        page = visitors()
        page.shows("sign-in")
        hold_answer(page, "/api/auth/sign-in", "POST")
        page.sign_in(user.email)
        wait_until_held(page)
        assert len(user.sessions()) == 2
        page.sign_in_by_code(telephone()).complete(username())
        page.shows("rooms")
        release_answer(page)
        assert page.ask("JSON.parse(localStorage['rooms-session']).user.id") != user.id
        # The session of the other way is not left open.
        eventually(lambda: len(user.sessions()) == 1)


class TestRooms:
    def test_my_rooms_show_a_new_room_when_older_answers_come_late(self, visitors, server, user):
        page = visitors()
        page.shows("sign-in")
        hold_answer(page, "/api/rooms")
        page.sign_in(user.email)
        wait_until_held(page)
        page.wait("board.client.state === 'online'")
        User(server).make_room("Surprise", user)
        page.says("#my-rooms", "Surprise")
        release_answer(page)
        assert "Surprise" in page.text("#my-rooms")

    def test_a_room_that_is_made_late_does_not_take_the_user_out_of_another(self, visitors, user):
        room = user.make_room("Plans")
        page = visitors().sign_in(user.email)
        page.says("#my-rooms", "Plans")
        hold_answer(page, "/api/rooms", "POST")
        page.fill(make_room_name="Late")
        page.use("#make-room-form button")
        wait_until_held(page)
        page.use("#my-rooms a")
        page.enters()
        release_answer(page)
        assert page.ask("location.hash") == f"#{room}"

    def test_a_new_link_stays_shown_when_older_answers_come_late(self, visitors, user):
        page = visitors(room=user.make_room("Plans")).sign_in(user.email)
        page.enters()
        hold_answer(page, "/invitations")
        page.use("#share")
        wait_until_held(page)
        page.use("#link-form button")
        page.says("#invitations", "0 of 10 users")
        release_answer(page)
        assert "0 of 10 users" in page.text("#invitations")

    def test_a_new_link_is_shown_in_no_other_room(self, visitors, user):
        first, second = user.make_room("First"), user.make_room("Second")
        page = visitors(room=second).sign_in(user.email)
        page.enters()
        page.evaluate(f"location.hash = '{first}'; 0")
        page.wait(f"board.room.id === '{first}' && board.room.isJoined")
        hold_answer(page, "/invitations", "POST")
        page.use("#share")
        page.use("#link-form button")
        wait_until_held(page)
        page.evaluate("history.back(); 0")
        page.wait(f"board.room.id === '{second}' && board.room.isJoined")
        release_answer(page)
        assert not page.is_seen("new-invitation") and page.text("#invitations") == ""


class TestAccount:
    def test_a_session_that_was_ended_is_not_shown_when_older_answers_come_late(self, visitors, user):
        page = visitors().sign_in(user.email)
        page.shows("rooms")
        hold_answer(page, "/api/auth/sessions")
        page.use("#account-open")
        wait_until_held(page)
        page.press("Escape")
        page.use("#account-open")
        page.use("#devices button")
        page.says("#account-text", "The session has ended")
        release_answer(page)
        assert page.ask("document.querySelectorAll('#devices li').length") == 1

    def test_a_passkey_that_is_removed_is_not_shown_when_an_older_answer_comes_late(self, device, user):
        page, authenticator = device()
        page.sign_in(user.email).shows("rooms")
        add_passkey(page, PASSWORD)
        authenticator.remove()
        Authenticator(page)
        hold_answer(page, "/api/auth/passkeys")
        page.use("#passkeys-add")
        page.fill(passkeys_password=PASSWORD)
        page.use("#passkeys-form .primary")
        wait_until_held(page)
        page.use("#passkeys button")
        page.says("#passkeys-text", f"The passkey is removed: {NAME}.")
        release_answer(page)
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        assert len(listed(page)) == len(own_ids(user)) == 1

    def test_a_passkey_that_is_added_is_told_although_the_list_does_not_come(self, device, user):
        page, authenticator = device()
        page.sign_in(user.email).shows("rooms")
        open_passkeys(page, 0)
        lose_answers(page, "/api/auth/passkeys")
        page.use("#passkeys-add")
        page.fill(passkeys_password=PASSWORD)
        page.use("#passkeys-form .primary")
        page.says("#passkeys-text", f"The passkey is added: {NAME}.")
        page.says("#passkeys-fault", "Your passkeys cannot be listed. The server cannot be reached.")
        assert not page.is_seen("passkeys-form") and own_ids(user) == authenticator.ids()
