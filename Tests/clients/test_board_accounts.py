"""The board of a server with accounts: signing in, the user's rooms and devices, and inviting others."""

from support.account_page import User, server, user, username, visitors
from support.accounts import PASSWORD, accounts_server, address
from support.rest import data
from support.screens import SCREENS
from support.texts import telephone

__all__ = ["server", "user", "visitors"]


class TestComingIn:
    def test_two_users_meet_in_a_room_and_see_each_other_move(self, visitors):
        visitors.tolerated = ("403",)
        ada, bob = visitors(), visitors()
        ada.sign_up("Ada", address()).complete(username())
        room = ada.make_room("Plans & more")
        assert ada.text("#room-name") == "Plans & more"
        bob.open_pages(ada.server, room)
        bob.says("#sign-in-reason", "Sign in to open the room.")
        bob_name = username()
        bob.sign_in_by_code(telephone()).complete(bob_name, "Bob")
        # A link opens the room to its members. A member adds him by the name that his page tells him.
        bob.says("#closed-text", f"your username is {bob_name}")
        ada.use("#share")
        ada.fill(invite_name=bob_name)
        ada.use("#invite-form button")
        ada.use(f"[aria-label='Add {bob_name} to the room']")
        ada.says("#found-text", f"{bob_name} is a member now")
        ada.press("Escape")
        bob.enters()
        assert bob.text("#room-name") == "Plans & more"
        ada.wait("document.getElementById('count').textContent === '2'")
        for page, other in ((ada, bob), (bob, ada)):
            page.move(520, 330)
            other.wait("document.querySelector('.cursor:not(.own, [hidden])')")
        assert ada.text(".cursor:not(.own) span") == bob_name

    def test_a_link_leads_who_has_no_account_through_the_sign_up_into_the_room(self, visitors, server, user):
        visitors.tolerated = ("404",)
        room = user.make_room("Plans")
        ada = visitors(room=room).sign_in(user.email)
        ada.enters()
        ada.use("#share")
        # Without faults there is no room for them.
        assert ada.ask("document.getElementById('link-users-fault').offsetHeight") == 0
        ada.fill(link_days="31")
        ada.use("#link-form button")
        ada.says("#link-days-fault", "from 1 to 30")
        ada.fill(link_days="2", link_users="1")
        ada.use("#link-form button")
        ada.says("#invitations", "A link of you: 0 of 1 users")
        link = ada.ask("document.getElementById('invitation').value")
        assert link.startswith(f"{server.url}/#invite=")
        secret = link.split("#")[1]
        bob = visitors(room=secret)
        bob.says("#sign-in-reason", "Sign in to open the room.")
        bob.sign_in_by_code(telephone()).complete(username(), "Bob")
        bob.enters()
        assert bob.text("#room-name") == "Plans" and bob.ask("location.hash") == f"#{room}"
        ada.wait("document.getElementById('count').textContent === '2'")
        # It was for one user.
        third = User(server)
        late = visitors(room=secret).sign_in(third.email)
        late.says("#closed-title", "This link lets nobody in any more")
        assert secret not in "".join(server.lines) and secret.split("=")[1] not in "".join(server.lines)

    def test_a_link_that_is_copied_twice_can_be_copied_again(self, visitors, user):
        page = visitors(room=user.make_room("Plans")).sign_in(user.email)
        page.enters()
        page.use("#share")
        page.use("#link-form button")
        page.says("#invitations", "0 of 10 users")
        page.evaluate("""
            globalThis.ends = [];
            const plain = setTimeout;
            globalThis.setTimeout = (act, time) => (time === 1_500 ? ends.push(act) : plain(act, time));
            Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => {} } }); 0""")
        for button in ("copy", "copy-invitation"):
            label = page.text(f"#{button}")
            for _ in range(2):
                page.evaluate(f"document.getElementById('{button}').click(); 0")
                assert page.text(f"#{button}") == "Copied"
            page.evaluate("while (ends.length) ends.shift()(); 0")
            assert page.text(f"#{button}") == label

    def test_a_link_is_taken_back(self, visitors, server, user):
        room = user.make_room("Plans")
        page = visitors(room=room).sign_in(user.email)
        page.enters()
        page.use("#share")
        page.use("#link-form button")
        page.says("#invitations", "0 of 10 users")
        assert len(data(user.caller.get(f"/api/rooms/{room}/invitations"))) == 1
        page.use("#invitations button")
        page.says("#invitations-text", "lets nobody in any more")
        assert data(user.caller.get(f"/api/rooms/{room}/invitations")) == [] and not page.is_seen("new-invitation")

    def test_my_rooms_show_a_room_to_which_the_user_is_added(self, visitors, server, user):
        other = User(server)
        page = visitors().sign_in(user.email)
        page.says("#my-rooms-text", "no room")
        page.wait("board.client.state === 'online'")
        page.fill(make_room_name="half written")
        other.make_room("Surprise", user)
        page.says("#my-rooms", "Surprise")
        page.says("#live", "You were added to the room Surprise.")
        assert page.ask("document.getElementById('make-room-name').value") == "half written"

    def test_a_note_has_the_name_of_its_writer(self, visitors, server, user):
        other = User(server)
        room = user.make_room("Plans", other)
        ada, bob = visitors(room=room).sign_in(user.email), visitors(room=room).sign_in(other.email)
        for page in (ada, bob):
            page.enters()
        ada.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'x'}); 0")
        bob.says(".card footer", user.username)
        bob.wait(f"document.querySelector('.card').getAttribute('aria-label') === 'Note by {user.username}: x'")
        bob.says("#live", f"{user.username} added a note: x.")

    @SCREENS
    def test_a_link_opens_by_itself_once_a_member_has_added_the_user(self, visitors, server, user, screen):
        visitors.tolerated = ("403",)
        other = User(server)
        room = other.make_room()
        page = visitors(room=room, **screen).sign_in(user.email)
        page.says("#closed-title", "You are not a member")
        data(other.caller.post(f"/api/rooms/{room}/participants", {"userId": user.id}))
        page.enters()
        data(other.caller.delete(f"/api/rooms/{room}/participants/{user.id}"))
        page.shows("closed")
        assert page.ask("board.room === null")

    def test_an_address_of_no_room_is_told_and_leads_to_the_own_rooms(self, visitors, user):
        visitors.tolerated = ("404",)
        page = visitors(room="nothing").sign_in(user.email)
        page.says("#closed-title", "There is no such room")
        page.use("#closed-rooms")
        page.says("#my-rooms-text", "You are in no room yet.")
        room = user.make_room("Mine")
        page.leave("location.reload()")
        page.says("#my-rooms", "Mine")
        page.use("#my-rooms a")
        page.enters()
        assert page.ask("board.room.id") == room
        page.evaluate("document.getElementById('rooms').showPopover(); 0")
        page.use("#to-my-rooms")
        page.shows("rooms")
        assert page.ask("board.room === null")
        # Where there is no room the mouse touches nothing, and the page has nothing to complain of.
        page.move(300, 200)

    def test_a_room_that_does_not_open_without_a_connection_leaves_the_way_back_open(self, visitors, user):
        first, second = user.make_room("First"), user.make_room("Second")
        page = visitors(room=first).sign_in(user.email)
        page.enters()
        page.go_offline()
        page.evaluate(f"location.hash = '{second}'; 0")
        page.says("#closed-title", "The room does not open")
        page.says("#closed-fault", "The server cannot be reached.")
        page.evaluate("history.back(); 0")
        page.wait("!document.body.classList.contains('covered')")
        assert page.ask("board.room.id") == first
        page.go_offline(False)
        page.wait("board.room.isJoined")
        page.evaluate(f"location.hash = '{second}'; 0")
        page.wait(f"board.room.id === '{second}' && board.room.isJoined")

    def test_without_a_provider_of_texts_there_are_no_codes(self, visitors, own_server, tmp_path):
        page = visitors(on=accounts_server(own_server, tmp_path))
        page.shows("sign-in")
        assert not page.is_seen("to-phone")

    def test_without_mail_there_are_no_letters(self, visitors, user):
        page = visitors()
        page.shows("sign-in")
        assert not page.is_seen("to-forgot")
        page.sign_in(user.email).shows("rooms")
        page.open_account()
        page.says("#address", user.email)
        assert not any(map(page.is_seen, ("address-mark", "address-confirm", "address-change")))
        assert page.is_seen("password-change")


class TestFaults:
    def test_a_wrong_password_is_told_and_nothing_that_was_written_is_lost(self, visitors, user):
        visitors.tolerated = ("401",)
        page = visitors().sign_in(user.email, "wrong password")
        page.says("#sign-in-form-fault", "The e-mail address or the password is wrong.")
        assert page.ask("document.getElementById('sign-in-form-fault').role") == "alert"
        assert page.ask("document.getElementById('sign-in-email').value") == user.email
        page.fill(sign_in_password=PASSWORD)
        # The button says at once that it works, and takes no second click meanwhile.
        assert page.evaluate("""(() => {
            const button = document.querySelector('#sign-in-form button');
            for (let clicks = 0; clicks < 2; clicks += 1) button.click();
            return [button.textContent, button.getAttribute('aria-disabled')];
        })()""") == ["Signing in…", "true"]
        page.shows("rooms")
        assert len(user.sessions()) == 2

    def test_what_is_wrong_stands_beside_its_field_which_gets_the_focus(self, visitors, user):
        visitors.tolerated = ("409", "422")
        page = visitors().sign_up("Ann", user.email)
        page.says("#sign-up-email-fault", "This e-mail address belongs to an account already.")
        assert page.ask("document.activeElement.id") == "sign-up-email"
        assert page.ask("document.activeElement.getAttribute('aria-invalid')") == "true"
        page.fill(sign_up_email=address(), sign_up_password="short")
        page.use("#sign-up-form button")
        page.says("#sign-up-password-fault", "Must have at least 8 characters.")
        assert page.text("#sign-up-email-fault") == ""
        page.fill(sign_up_password="correct horse", sign_up_name=" ")
        page.use("#sign-up-form button")
        page.says("#sign-up-name-fault", "Enter your name.")
        page.fill(sign_up_name="Ann")
        page.use("#sign-up-form button")
        page.complete(user.username.upper())
        page.says("#profile-username-fault", "taken")
        page.complete(username())
        page.shows("rooms")

    def test_a_limit_says_how_long_to_wait(self, visitors):
        visitors.tolerated = ("429",)
        page = visitors()
        phone = telephone()
        page.shows("sign-in")
        page.use("#to-phone")
        page.fill(phone=f"{phone[:5]} ({phone[5:8]}) {phone[8:]}")
        page.use("#phone-form button")
        page.says("#code-text", f"The code for {phone} is 123456.")
        page.use("#code-again")
        page.says("#code-form-fault", "Too many attempts. Try again in ")
        assert page.text("#code-form-fault").endswith(" seconds.")

    def test_without_a_connection_a_form_keeps_what_was_written(self, visitors, user):
        page = visitors()
        page.shows("sign-in")
        page.go_offline()
        page.sign_in(user.email)
        page.says("#sign-in-form-fault", "The server cannot be reached.")
        page.go_offline(False)
        page.use("#sign-in-form button")
        page.shows("rooms")

    def test_a_server_that_falls_silent_after_the_sign_in_is_asked_again(self, visitors, user):
        visitors.tolerated = ("ERR_BLOCKED_BY_CLIENT",)
        page = visitors()
        page.shows("sign-in")
        page.block("*/api/auth/verify")
        page.sign_in(user.email)
        page.says("#waiting-text", "The server cannot be reached.")
        page.shows("waiting")
        page.block()
        page.shows("rooms")


class TestSessions:
    def test_a_reload_keeps_the_session_and_a_sign_out_ends_it_in_all_tabs(self, visitors, user):
        visitors.tolerated = ("401",)
        room = user.make_room()
        page = visitors(room=room).sign_in(user.email)
        page.enters()
        page.evaluate("globalThis.isOld = true")
        page.leave("location.reload()")
        page.wait("!globalThis.isOld && board.room.isJoined")
        assert len(user.sessions()) == 2
        tab = visitors(beside=page, room=room)
        tab.enters()
        page.open_account()
        page.use("#sign-out")
        page.says("#sign-in-reason", "You have signed out.")
        assert page.ask("location.hash") == "" and page.ask("localStorage.length") == 0
        assert page.ask("document.querySelectorAll('.card, #people li').length") == 0
        tab.says("#sign-in-reason", "You have signed out in another window.")
        assert tab.ask("decodeURIComponent(location.hash)") == f"#{room}"
        assert len(user.sessions()) == 1
        # The tab follows when the user is back, and leads to its room.
        page.sign_in(user.email)
        page.shows("rooms")
        tab.enters()

    def test_ending_another_device_shows_it_the_sign_in_and_keeps_the_address(self, visitors, user):
        visitors.tolerated = ("401",)
        room = user.make_room()
        phone, laptop = visitors(room=room).sign_in(user.email), visitors().sign_in(user.email)
        phone.enters()
        laptop.shows("rooms")
        laptop.open_account()
        rows = laptop.ask("[...document.querySelectorAll('#devices li')].map((row) => row.textContent)")
        assert len(rows) == 3 and sum("This device" in row for row in rows) == 1
        assert sum("Chrome on Linux" in row and "Rooms, last used just now" in row for row in rows) == 2
        assert user.username in laptop.text("#account-facts")
        laptop.says("#address", user.email)
        laptop.use("#devices button[aria-label*='Chrome on Linux']")
        laptop.says("#account-text", "The session has ended: Chrome on Linux.")
        phone.come_back()
        phone.says("#sign-in-reason", "Your session has ended. Sign in again to go on.")
        assert phone.ask("location.hash") == f"#{room}"
        # The connection has ended, too.
        phone.wait("board.client.state === 'closed'")
        phone.sign_in(user.email)
        phone.enters()
        assert phone.ask("board.room.id") == room

    def test_another_user_on_the_same_page_begins_anew(self, visitors, server, user):
        page = visitors(room=user.make_room()).sign_in(user.email)
        page.enters()
        page.evaluate("globalThis.isOld = true")
        page.open_account()
        page.use("#sign-out")
        page.sign_in(User(server).email)
        page.wait("!globalThis.isOld")
        page.says("#my-rooms-text", "You are in no room yet.")

    def test_two_tabs_refresh_their_tokens_without_ending_the_session(self, visitors, user):
        room = user.make_room()
        one = visitors(room=room).sign_in(user.email)
        one.enters()
        two = visitors(beside=one, room=room)
        two.enters()
        kept = set()
        for minutes in range(14, 70, 14):
            for tab in (one, two):
                # For the page its token is at its end. It asks the server something, and needs a new one first.
                tab.evaluate(f"Date.now = () => performance.timeOrigin + performance.now() + {minutes * 60_000}; 0")
            for tab in (one, two):
                tab.evaluate("for (let asked = 0; asked < 3; asked += 1) dispatchEvent(new Event('focus')); 0")
            for tab in (one, two):
                tab.open_account()
                tab.press("Escape")
            kept.add(one.ask("localStorage['rooms-session']"))
        assert len(kept) == 4
        assert len(user.sessions()) == 2
        for tab in (one, two):
            tab.evaluate("globalThis.isOld = true")
            tab.leave("location.reload()")
            tab.wait("!globalThis.isOld && board.room.isJoined")

    def test_changes_without_a_connection_wait_for_the_user_to_sign_in_again(self, visitors, user):
        visitors.tolerated = ("401",)
        page = visitors(room=user.make_room()).sign_in(user.email)
        page.enters()
        own = next(session for session in user.sessions() if not session["isCurrent"])
        page.go_offline()
        page.wait("board.client.state === 'offline'")
        page.evaluate("board.room.create({type: 'note', positionX: 0, positionY: 0, width: 90, height: 80, content: 'kept'}); 0")
        assert user.caller.delete(f"/api/auth/sessions/{own['id']}").status_code == 204
        page.go_offline(False)
        page.says("#sign-in-reason", "Your session has ended.")
        page.sign_in(user.email)
        page.wait("board.room.isJoined && board.room.elements.pending === 0", timeout=30)
        assert page.texts() == ["kept"]
