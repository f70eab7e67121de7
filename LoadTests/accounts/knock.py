"""Signs in again and again, until a line comes: knock.py PORT. Prints how many requests got each status, and the seconds."""

import concurrent.futures
import http.client
import json
import sys
import time

PASSWORD = "a good password"
SIGN_INS_A_SECOND = 50
# So many that none of them signs in more often than the server lets a user.
PEOPLE_SIGNING_IN = 1_000


def email(number):
    return f"user{number}@example.com"


class Client:
    """One connection, which sends one request after another."""

    def __init__(self, port, token=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = token

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        self.connection.request(method, path, body and json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    def sign_up(self, email):
        status, answer = self.ask(
            "POST", "/subspace/api/v1/auth/register", {"name": "Ann", "email": email, "password": PASSWORD})
        assert status == 201, answer
        self.token = answer["token"]

    def sign_in(self, email):
        started = time.monotonic()
        status, _ = self.ask("POST", "/subspace/api/v1/auth/login", {"email": email, "password": PASSWORD})
        return status, time.monotonic() - started


def main():
    port, counts, started = int(sys.argv[1]), {}, time.monotonic()
    line = concurrent.futures.ThreadPoolExecutor(1).submit(sys.stdin.readline)

    def sign_in(number):
        status, _ = Client(port).sign_in(email(number % PEOPLE_SIGNING_IN))
        counts[str(status)] = counts.get(str(status), 0) + 1

    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        number = 0
        while not line.done():
            pool.submit(sign_in, number)
            number += 1
            time.sleep(max(0, started + number / SIGN_INS_A_SECOND - time.monotonic()))
        seconds = time.monotonic() - started
    print(json.dumps([counts, seconds]))


if __name__ == "__main__":
    main()
