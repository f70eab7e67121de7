import Foundation
import Media
import Testing
import Wire

@testable import API

@Suite("Failures of others, as MueJam's guide prints them")
struct MueJamErrorTests {
    private func text(_ error: APIError) -> String {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { $0.mueJamFailure(error) }
        return String(decoding: json, as: UTF8.self)
    }

    private func storage(_ error: MediaError) -> String {
        text(.mueJam(FileFault(error: error, service: "S3"), .malformed("")))
    }

    @Test("STORAGE_SERVICE_ERROR has what the store has done")
    func storage() {
        let printed =
            #"{"code":"STORAGE_SERVICE_ERROR","message":"Failed to upload file due to storage service error","#
            + #""details":{"service":"S3","error_type":"timeout"},"retry_guidance":"Wait a few moments and retry the upload"}"#
        #expect(storage(.storeFailed("the bucket does not answer: the server took too long")) == printed)
        let others: [(MediaError, String)] = [
            (.storeFailed("the bucket refuses PUT files/ab…: 503 SlowDown"), "unavailable"), (.storeFull, "full"),
        ]
        for (error, kind) in others {
            #expect(storage(error) == printed.replacingOccurrences(of: "timeout", with: kind))
        }
    }

    @Test("EXTERNAL_SERVICE_TIMEOUT and PUSH_SERVICE_ERROR name the service")
    func services() {
        for error in [MediaError.tooCostly, .unfinished("it took longer than 60000 ms")] {
            #expect(
                storage(error)
                    == #"{"code":"EXTERNAL_SERVICE_TIMEOUT","message":"Request timed out while communicating with external service","#
                    + #""details":{"service":"image_processing","timeout_seconds":30},"#
                    + #""retry_guidance":"Retry the request. If the problem persists, try a smaller file."}"#)
            // Kept as the answer of an upload it is no fault of a service, and has no advice to try again.
            let kept = APIError.mueJam(FileFault(error: error, isKept: true), APIError(error))
            #expect(kept.status == 422 && kept.code == "VALIDATION_ERROR" && kept.guidance == nil)
        }
        #expect(
            text(.pushService("FCM", "service_unavailable", isRepeated: true))
                == #"{"code":"PUSH_SERVICE_ERROR","message":"Failed to send push notification due to external service error","#
                + #""details":{"service":"FCM","error_type":"service_unavailable"},"#
                + #""retry_guidance":"The notification will be retried automatically. No action needed."}"#)
    }
}
