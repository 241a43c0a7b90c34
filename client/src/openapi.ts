// Types of the interface, made of /openapi.json by `npm run client-types`; not edited by hand.
export interface paths {
    "/v1/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels, newest first
         * @description A page has 30 of them; `perPage` is no parameter of this list. Needs the scope `channels:read`. Of the `/v1` interface, which only grows.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * @description Needs the scope `channels:write`. Of the `/v1` interface, which only grows.
         */
        post: operations["createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/{channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel
         * @description Needs the scope `channels:read`. Of the `/v1` interface, which only grows.
         */
        get: operations["getChannel"];
        /**
         * Rename a channel
         * @description Needs the scope `channels:write`. Of the `/v1` interface, which only grows.
         */
        put: operations["renameChannel"];
        post?: never;
        /**
         * Delete a channel with its videos and records
         * @description Every address and record of it is 404 at once, and its publish key is refused. For some days it can be restored; then its files and rows are removed. Needs the scope `channels:write`. Of the `/v1` interface, which only grows.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/{channel_id}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the settings of the viewing page; fields that are not named stay as they are
         * @description Needs the scope `channels:write`. Of the `/v1` interface, which only grows.
         */
        put: operations["changeChannelPage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a channel a new publish key; a push with the old one is cut within 5 seconds
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["rotatePublishKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a deleted channel back with all that was its own
         * @description One that is not deleted stays as it is. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["restoreChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/deleted-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deleted channels that can be restored, the last deleted first
         * @description A page has 30 of them. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listDeletedChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/{channel_id}/userRecords": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the watch records of a channel, newest entry first; a few calls a day
         * @description Needs the scope `audience:read` or `manage`. Of the `/v1` interface, which only grows.
         */
        post: operations["getWatchRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/{channel_id}/visitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the visitors of a channel by first entry
         * @description Needs the scope `audience:read` or `manage`. Of the `/v1` interface, which only grows.
         */
        post: operations["getVisitors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the watch records of a channel, newest entry first, also those of somebody
         * @description As the operation of the interface has them, and not under its daily limit: that is for programs that fetch everything, and what is looked at here is a page. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/visitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the visitors of a channel by first entry, or look for somebody among them
         * @description As the operation of the interface has them, and not under its daily limit: that is for programs that fetch everything, and what is looked at here is a page. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listVisitors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/{channel_id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the report of a show of a channel: the latest, or the one that is named
         * @description A show lasts from the first part that can be played until the channel is live no more; a push that was cut and came back in time is one show. Every number can be counted again from `sessions.ndjson`. Not under the daily limit. Needs the scope `audience:read` or `manage`. Of the `/v1` interface, which only grows.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/shows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shows of a channel, the newest first
         * @description Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listShows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/shows/{show_id}/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the viewers of a show, or some of them: where they were, what with, who
         * @description Each parameter narrows every number to those that it describes. Figures of a show that is on are up to ten seconds old. Of a show whose records are frozen there is the whole alone, without the lists; narrowed it is a 409. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getShowAudience"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/shows/{show_id}/report.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the report of a show as CSV, minute by minute
         * @description The same parameters as of the audience narrow it. UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe, an id such as `-43` too. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportShowMinutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/shows/{show_id}/people.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the viewers of a show as CSV, in the order in which they came to the channel
         * @description The same parameters as of the audience narrow it. UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe, an id such as `-43` too. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportShowPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/shows/{show_id}/people.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the viewers of a show as NDJSON, in the order in which they came to the channel
         * @description For programs: one JSON object a line, with every id and name as it is. The same parameters as of the audience narrow it. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportShowPeopleNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/viewers/{viewer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one viewer of a channel: every visit, what was watched when, what they said
         * @description The newest of each. `POST /manage/v1/viewers/export` has everything. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getViewer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List videos, newest first
         * @description Needs the scope `videos:read`. Of the `/v1` interface, which only grows.
         */
        get: operations["listVideos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/videos/{video_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a video
         * @description Needs the scope `videos:read`. Of the `/v1` interface, which only grows.
         */
        get: operations["getVideo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/clips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cut a clip out of a show or a video, as a video of its own
         * @description Either `last_seconds` of the show that is on, or from where to where of a `show` or a `video_id`, in milliseconds of its media. It is cut at key frames, so a little more may be taken; the answer says what. Nothing is encoded again. Any service may be asked: a recording that lies on a disk is cut by the service whose disk that is, and a stretch that lies at several is refused with 503. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["makeClip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploads, the newest first
         * @description What is done or refused is shown for a day. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listUploads"];
        put?: never;
        /**
         * Begin to upload a video
         * @description By tus 1.0.0, so any client of it will do: this makes the upload, `PATCH` at its `Location` brings the bytes, and after a cut `HEAD` says from where to go on. The request has no body. When all has come the file is read and becomes a video of the channel: H.264 and AAC as they are, other codecs converted where the service has a transcoder. An account has at most 20 unfinished uploads, a manager half of what the others leave; one of which nothing comes for a day goes. It lies at the node that took it; where nodes are linked, any of them takes the rest. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["beginUpload"];
        delete?: never;
        /**
         * Ask which tus is spoken, and how long a file may be
         * @description Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        options: operations["describeUploads"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an upload: how much has come, and what has become of it
         * @description Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * End an upload, so that nothing is left of it
         * @description Part of tus. One that has become a video is deleted as a video. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["endUpload"];
        options?: never;
        /**
         * Ask from where an upload goes on
         * @description Part of tus. A request that still brings bytes is ended first, so that the answer is exact. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        head: operations["findOffset"];
        /**
         * Bring bytes of an upload, from where it goes on
         * @description Part of tus. What comes before a cut is kept. The answer is sent when all of it is on the disk. A newer request for the same upload ends an older one. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        patch: operations["continueUpload"];
        trace?: never;
    };
    "/manage/v1/videos/{video_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a video with the state of its files
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getManagedVideo"];
        /**
         * Rename a video
         * @description Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["renameVideo"];
        post?: never;
        /**
         * Delete a video
         * @description Every address of it is 404 at once. For some days it can be restored; then its files are removed. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["deleteVideo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/deleted-videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deleted videos that can be restored, the last deleted first
         * @description A page has 30 of them. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listDeletedVideos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a deleted video back
         * @description One that is not deleted stays as it is; one that went with its channel comes back with that. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["restoreVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who may watch a channel
         * @description Needs the scope `channels:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getChannelAccess"];
        /**
         * Say who may watch a channel, and the videos that go by it
         * @description Another kind, or another password, ends all passes: whoever watches is asked anew within seconds. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["setChannelAccess"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/access/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take passes of a channel back
         * @description With `pass` one link, with `code` a code, with `uid` the links of one user, with `registration` who has registered, without any of them all passes: whoever watches by them watches no more within ten seconds. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["revokeChannelPasses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/play-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a link that plays a channel
         * @description Whoever has it watches, whatever the kind. It is not kept: only its `pass_id` can take it back before it expires. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["makeChannelPlayLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who may watch a video
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getVideoAccess"];
        /**
         * Say who may watch a video, whatever is said of its channel
         * @description Another kind, or another password, ends all passes: whoever watches is asked anew within seconds. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["setVideoAccess"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/access/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take passes of a video back
         * @description With `pass` one link, with `code` a code, with `uid` the links of one user, with `registration` who has registered, without any of them all passes: whoever watches by them watches no more within ten seconds. Of a video that goes by its channel passes are taken back there. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["revokeVideoPasses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/play-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a link that plays a video
         * @description Whoever has it watches, whatever the kind. It is not kept: only its `pass_id` can take it back before it expires. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["makeVideoPlayLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/access/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the codes of a channel, newest first
         * @description Needs the scope `channels:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listChannelCodes"];
        put?: never;
        /**
         * Make codes that let viewers of a channel in
         * @description They are kept as their signature: export the answer, nobody can show them again. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["makeChannelCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/access/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the codes of a video, newest first
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listVideoCodes"];
        put?: never;
        /**
         * Make codes that let viewers of a video in
         * @description They are kept as their signature: export the answer, nobody can show them again. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["makeVideoCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has registered for a channel, newest first
         * @description Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listChannelRegistrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/registrations.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who has registered for a channel as CSV, oldest first
         * @description UTF-8 with a byte order mark, lines as RFC 4180 has them, with a column `answers.NAME` for each field that anybody answered. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportChannelRegistrationsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/registrations.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who has registered for a channel as NDJSON, oldest first
         * @description One JSON object a line. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportChannelRegistrationsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has registered for a video, newest first
         * @description Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listVideoRegistrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/registrations.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who has registered for a video as CSV, oldest first
         * @description UTF-8 with a byte order mark, lines as RFC 4180 has them, with a column `answers.NAME` for each field that anybody answered. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportVideoRegistrationsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/registrations.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export who has registered for a video as NDJSON, oldest first
         * @description One JSON object a line. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportVideoRegistrationsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List videos with the state of their files, newest first
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listManagedVideos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make files of a video again that have failed
         * @description Without `file` it is all of them. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["retryVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/captions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the captions of a video, by their languages
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listCaptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/videos/{video_id}/captions/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the captions of a video in one language, as WebVTT
         * @description Needs the scope `videos:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getCaptions"];
        /**
         * Set the captions of a video in one language
         * @description The body is the file itself: WebVTT (`text/vtt`) or SubRip (`application/x-subrip`, which becomes WebVTT), as UTF-8, at most 2,000,000 bytes. It takes the place of what there was in that language; a video may have 32. What a browser would pass over without a word is a 400 that names the line. Notes in it are left out. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["setCaptions"];
        post?: never;
        /**
         * Remove the captions of a video in one language
         * @description The answer lists those that are left. Needs the scope `videos:write` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["removeCaptions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/sessions.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the watch records of a channel as CSV, oldest entry first
         * @description UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportSessionsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/visitors.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the visitors of a channel as CSV, by first entry
         * @description UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is. Behind its own columns it has one for each field that anybody answered in a registration form, `answers.NAME`. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportVisitorsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/sessions.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the watch records of a channel as NDJSON, oldest entry first
         * @description One JSON object a line. `npx footlight import sessions` reads it. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportSessionsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/visitors.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the visitors of a channel as NDJSON, by first entry
         * @description One JSON object a line. Needs the scope `audience:read` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportVisitorsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/viewers/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export everything that is known of one viewer, as NDJSON
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["exportViewer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/viewers/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase one viewer: watch records, visitors, chat messages, mutes and bans, registrations, entries of lists
         * @description Nothing of it can be brought back. Who has registered, or is on a list of who may watch by this id or by a phone number that a watch link has named, is let in by that no more. A viewer who comes again is a new one; so is one who is there now, whose page is sent away and comes back. A player without a page is counted again once it begins anew. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["eraseViewer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the chat of a channel, newest message first
         * @description To follow it, ask again with `after` as `next_after` says: then the oldest of what is new comes first, so none is missed. What was removed is not told. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove messages by their ids, or all of one viewer
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["removeChatMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the chat of a channel
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["openChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the chat of a channel; what was written stays
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["closeChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/slow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let each viewer write one line in so many seconds
         * @description Whichever of their pages and whichever node it comes from. Pages say how long to wait, and keep what was typed. The host is not slowed. 0 ends it. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["slowChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/say": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say a line in the chat as the host
         * @description It is shown with a host’s badge and counts for no viewer. A host may speak while the chat is closed: 20 lines at once, then one a second. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["sayInChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pin a message above the chat, in the place of any other
         * @description It stays there until it is unpinned or removed, or its writer is erased. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["pinChatMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/unpin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the pinned message away; it stays in the chat
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["unpinChatMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is muted or banned in a channel
         * @description One that is over may be listed for a while; `until` tells. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listSilences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute a viewer, who then may not write
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["muteViewer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban a viewer, who is sent away and may not enter again
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["banViewer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/chat/lift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift the mute or the ban of a viewer, or both; answers what is left
         * @description Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["liftSilence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a picture for the viewing page of a channel
         * @description The body is the file itself: PNG, JPEG, WebP or GIF, at most 4,194,304 bytes, 4,096 pixels a side and 16,000,000 in all. What it is is found by its bytes. One that is cut, holds anything after the picture's end, unpacks to more than its pixels, is made of more parts than any program writes or brings a colour profile of more than 4,194,304 bytes is a 400 that says so, and so is SVG. The answer's `address` works at once and can be written into any picture field of the page; it is random, so nobody finds it before the page is saved. A picture that no saved page of the account names for a day goes; a channel has at most 50, and the oldest that no saved page names makes room. Pictures count in what the account may take of the disk (`GET /manage/v1/storage`); beyond it is a 409. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/page/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the viewing page of a channel with other settings, of which nothing is kept
         * @description Fields that are not named are as they are saved, so an empty body shows the page as it is. The page makes no audience session. Needs the scope `channels:write`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["previewPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description The session is a cookie, `HttpOnly` and `SameSite=Strict`. Which of the two was wrong is not told. Anyone may ask. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out: the session ends, and its cookie is cleared
         * @description Anyone may ask. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/links/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a one-time link is for, without using it
         * @description Anyone may ask. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["lookAtLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a one-time link: makes a person or a new password, and signs in
         * @description To make a person, `user_name` must be given; for a new password neither it nor `name` is read. An account's first person finds a channel made where there was none. A new password ends all other sessions. Anyone may ask. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["useLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who asks, and what they may do
         * @description Any token may ask, and whoever has signed in. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getMe"];
        /**
         * Change the name or the password of who asks
         * @description A new password needs the old one, and ends all other sessions of the person. For people who have signed in; a token is none. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["changeMe"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where who asks has signed in
         * @description For people who have signed in; a token is none. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listMySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/me/sessions/{session_id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one session of who asks; refused from its next request on
         * @description For people who have signed in; a token is none. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["endMySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/me/sessions/end-others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions of who asks but this one
         * @description For people who have signed in; a token is none. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["endMyOtherSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's people and the invitations that are open
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person: a link, good once and for seven days, to hand over
         * @description Without `manager_id` the person is of the account's own side and may do everything; with it they see what the manager's token would. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["invitePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/invitations/{invitation_id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw an invitation that is open
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["withdrawInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/{person_id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link, good once and for an hour, by which a person sets a new password
         * @description A link that was made before for the same person is good no more. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["resetPerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/{person_id}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a person; their sessions end at once
         * @description The last person of the account's own side stays. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["removePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/{person_id}/end-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions of a person
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["endPersonSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/managers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's channel managers, by their names
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listManagers"];
        put?: never;
        /**
         * Make a channel manager
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["createManager"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/managers/{manager_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a channel manager another name
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["renameManager"];
        post?: never;
        /**
         * Remove a channel manager: its tokens end and its people are gone, its channels and videos stay with manager 0
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["removeManager"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's tokens that are not revoked, the newest first
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token
         * @description A manager's token cannot hold `manage`. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Name a token, or let it do less from its next request on
         * @description What it may do can only become less: for more, make another. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["changeToken"];
        post?: never;
        /**
         * Revoke a token; refused from its next request on
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account: its plan, what it has, how long what is kept
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getAccount"];
        /**
         * Change the account's name, or whether a push becomes a video
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["changeAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what recordings take on disk, by channel, the most first, pictures of pages and captions
         * @description A recording counts twice, as it was pushed and as the MP4 that is made of it, which is how its bound is counted too; variants and other smaller sizes are not counted. Pictures of pages and captions count once. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is being made of recordings, the newest first
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a failed job begin again, as if it had never been tried
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's webhooks, the newest first
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Make a webhook: from now on its address is sent the events of these types
         * @description Requests are as Standard Webhooks 1.0 says; `webhooks` of this document has what each type tells. Any 2xx is success, and nothing is followed elsewhere; 15 seconds, and 64 KB of the answer are read. What fails is tried again for three days, each time later, five minutes at most. The events of a channel come in their order. Private addresses are refused, unless the operator allows them (`WEBHOOK_PRIVATE_TARGETS`). Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook, disable it, or enable it again
         * @description Where it is enabled again it goes on with what waits, and with the events that are kept (`EVENT_DAYS`). With another address nothing waits for a rest that is left from the one before. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        put: operations["changeWebhook"];
        post?: never;
        /**
         * Remove a webhook with its log; what waits is not sent
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret for a webhook
         * @description For 24 hours requests are signed with both, the new one first. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a `webhook.test` to a webhook now, once, and see what comes back
         * @description Also while it is disabled. Whatever comes back changes nothing about the webhook. An account may have 4 under way. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries, the newest first
         * @description They are kept for some days (`WEBHOOK_LOG_DAYS`), and the last 10,000 of a webhook; what waits is kept until it was sent or given up. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery, with what was sent and what came back last
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again: the same event with the same `webhook-id`
         * @description Events that come meanwhile do not wait for it. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/webhooks/{webhook_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the deliveries of a span again, in their order
         * @description At most 1000 in one call; a delivery that waits to be sent again is not taken a second time, and what was sent again is not itself sent again. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["resendDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what, when and from where, the newest first
         * @description Every write that was answered is in it, and reads that take people’s data along. With several filters, or `q`, a page may have fewer rows than asked for and still a next one. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit log as CSV, the newest first
         * @description One line a row, with a header line. That it was taken along is in the log, too. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens, as server-sent events
         * @description An event is written with the very change that it tells of, is told at least once, and has an id (`evt_…`) for those who want it once. The `id:` line of a message is a position, such as 31.7: who comes back with it as `Last-Event-ID` gets all that has come since; without it what comes from now on. Events are kept for some days (`EVENT_DAYS`): where some behind that position are not there any more, a message `missing` tells their numbers (`from`, `to`, of the `feed` main or sessions), and those that are kept follow. A comment comes at least every 15 seconds. Types, and the scope that each needs: `channel.created` (`channels:read`), `channel.updated` (`channels:read`), `channel.deleted` (`channels:read`), `channel.live` (`channels:read`), `channel.offline` (`channels:read`), `show.ended` (`audience:read`), `video.created` (`videos:read`), `video.ready` (`videos:read`), `video.deleted` (`videos:read`), `audience.session.ended` (`audience:read`), `job.failed` (`videos:read`). A manager sees the events of their own channels. Events stand in the order in which they happened, those of ended sessions in an order of their own. Any token may ask, and whoever has signed in. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/events/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened, the oldest first, for programs that ask now and then
         * @description The same events. `next_after` is the position behind the last of them, and leads on, also where there are none yet. Any token may ask, and whoever has signed in. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/viewer-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the secret that watch links are signed with
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getViewerSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/viewer-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret for watch links; all links that were signed before are wrong then
         * @description Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        post: operations["rotateViewerSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels by what they are about now, with how many there are of each
         * @description The newest first; of `upcoming` the soonest start, of `past` the latest push. Where `q` is given, the newest first in any case. Needs the scope `channels:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listChannelStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes on the database: who is there, what each has, what ails
         * @description In the order of their names. A service on SQLite, and one that has its PostgreSQL for itself, is the only one. How many pushes and viewers a node has is of all accounts, as `/metrics` tells it; channels are the caller’s. What a node knows of itself alone is asked over its link, for half a second. Needs the scope `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/picture.jpg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a small picture of what is on a channel now
         * @description A JPEG of the newest key frame, at most 480 pixels wide and, where key frames come every 4 seconds or sooner, at most 10 seconds old. It is made when it is asked for, by the decoder that covers are made with, five a second for each service, by the one that has the push, accounts in turns: a list asks for those that it shows, and again after ten seconds. Where more are asked for than that, an older one that will do is given, or 503 with `Retry-After`. 404006: nothing is pushed, or no picture; or it is pushed to another service that cannot be asked; 503 without `Retry-After`: the decoder is not installed. Needs the scope `channels:read`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getPicture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/present": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is here now, those who came last first
         * @description A viewer is listed once, however many pages they have open. Where several services share a database and are linked, those of all that answer within two seconds: of each the newest 5,000, and whoever has pages at two stands where they came in last. Not under the daily limit. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["listPresent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/channels/{channel_id}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what is on a channel now: the show, viewers, the health of the push, advice
         * @description Small, and meant to be asked for every 2 seconds. Viewers are those whose page is there; the report counts what they watched, exactly. Where several services share a database and are linked, each answers alike: of a push it asks the one that has it. Null is what that one does not say within two seconds. `advice` has codes with numbers, for a program to say in its own words: `keyframes_far_apart` (`seconds`), `slower_than_real_time` (`seconds`), `frames_missing` (`fps`, `said_fps`), `connection_cut` and `push_away` (`count`), `bit_rate_near_bound` (`kbps`, `kbps_max`), `timestamps_jump` (`count`), `no_picture`, `no_sound`. Needs the scope `channels:run` or `manage`. Footlight’s own, beside the `/v1` interface.
         */
        get: operations["getChannelLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "channel.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * channel.created
         * @description A channel was created, or a deleted one was brought back: then its videos are back with it, and are not told one by one. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["channel.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * channel.updated
         * @description The name, the page settings, the manager or the publish key of a channel changed. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["channel.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * channel.deleted
         * @description A channel was deleted, and its videos with it, which are not told one by one. It can be brought back for some days. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["channel.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * channel.live
         * @description A channel is live: the first part of its show can be played. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["channel.live"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * channel.offline
         * @description A channel is live no more. Where a service was killed it is told by the next start, with the last moment that the show was known to be on. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["channel.offline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "show.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * show.ended
         * @description A show has ended and was counted, a minute or two after its end; once for each show, also where nobody watched. Who watched it: `GET /manage/v1/channels/{channel_id}/shows/{show_id}/people.ndjson`. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["show.ended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "video.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * video.created
         * @description A video was made: of a push, a clip, an upload or an import; or a deleted one was brought back. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["video.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "video.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * video.ready
         * @description All files of a video are made that will be; it follows each `video.created`, and each retry of a file that had failed. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["video.ready"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "video.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * video.deleted
         * @description A video was deleted by itself, or was kept for as long as videos are. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["video.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "audience.session.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * audience.session.ended
         * @description Sessions of a channel are over: their pages left and did not come back within half a minute. Up to 1,000 in one event, in an order of their own. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["audience.session.ended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * job.failed
         * @description A file of a video could not be made, and is given up until somebody retries it. Sent to webhooks that ask for it, by Standard Webhooks 1.0.
         */
        post: operations["job.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.test
         * @description A webhook was tried out, by its owner or on the command line: nothing has happened. Every webhook may be sent it; none asks for it, and nobody who follows events gets it. Sent to webhooks, by Standard Webhooks 1.0.
         */
        post: operations["webhook.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Error: {
            errors: {
                /** @enum {integer} */
                code: 400001 | 400002 | 401001 | 401010 | 403001 | 403002 | 403010 | 404000 | 404001 | 404002 | 404003 | 404004 | 404005 | 404006 | 404007 | 404010 | 404011 | 404012 | 404013 | 404014 | 404015 | 404016 | 404017 | 404018 | 409001 | 405001 | 409021 | 409022 | 409023 | 409024 | 409025 | 409026 | 409031 | 409010 | 409011 | 409012 | 410001 | 412001 | 413001 | 415001 | 415002 | 415003 | 415004 | 429001 | 500002 | 503001;
                message: string;
                /** @description the fields at fault, if any */
                fields: {
                    name: string;
                    message: string;
                }[];
                request_id: string;
            };
        };
        ListedChannel: {
            /** @description channel id */
            id: number;
            /** @description channel name */
            name: string;
            /** @description creation time */
            create_at: string;
            /** @description 0 = not live, 1 = live */
            live_status: number;
            watch_url: {
                /** @description desktop watch address */
                pc: string;
                /** @description mobile watch address */
                mobile: string;
            };
            /** @description embed address of the live stream */
            embed_url: string;
            page: {
                /** @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                start_time: string;
                /**
                 * @deprecated
                 * @description no longer used; equals `pc_logo`
                 */
                logo: string;
                /** @description address of the desktop video logo */
                pc_logo: string;
                /** @description address of the mobile video logo */
                mobile_logo: string;
                /** @description banner address */
                banner: string;
                /** @description channel icon address */
                cover_image: string;
                /** @description address of the live window background */
                live_img: string;
                /** @description footer copyright text */
                footer: string;
            };
            /** @description RTMP publish address */
            rtmp_publish_addr: string;
            /** @description HLS play address; traffic plan only */
            hls_play_addr?: string;
            /** @description RTMP play address; traffic plan only */
            rtmp_play_addr?: string;
            /** @description channel manager id; 0 when there is none */
            manager: number;
            /** @description channel manager username; empty when there is none */
            manager_username: string;
            /** @description time of the last stream push; empty before the first */
            last_push_stream_at: string;
        };
        ChannelList: {
            activities: components["schemas"]["ListedChannel"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Channel: {
            /** @description channel id */
            id: number;
            /** @description channel name */
            name: string;
            /** @description creation time */
            create_at: string;
            /** @description 0 = not live, 1 = live */
            live_status: number;
            watch_url: {
                /** @description desktop watch address */
                pc: string;
                /** @description mobile watch address */
                mobile: string;
            };
            /** @description embed address of the live stream */
            embed_url: string;
            page: {
                /** @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                start_time: string;
                /**
                 * @deprecated
                 * @description no longer used; equals `pc_logo`
                 */
                logo: string;
                /** @description address of the desktop video logo */
                pc_logo: string;
                /** @description address of the mobile video logo */
                mobile_logo: string;
                /** @description banner address */
                banner: string;
                /** @description channel icon address */
                cover_image: string;
                /** @description address of the live window background */
                live_img: string;
                /** @description footer copyright text */
                footer: string;
            };
            /** @description RTMP publish address */
            rtmp_publish_addr: string;
            /** @description HLS play address; traffic plan only */
            hls_play_addr?: string;
            /** @description RTMP play address; traffic plan only */
            rtmp_play_addr?: string;
        };
        ChannelWithWholePage: {
            /** @description channel id */
            id: number;
            /** @description channel name */
            name: string;
            /** @description creation time */
            create_at: string;
            /** @description 0 = not live, 1 = live */
            live_status: number;
            watch_url: {
                /** @description desktop watch address */
                pc: string;
                /** @description mobile watch address */
                mobile: string;
            };
            /** @description embed address of the live stream */
            embed_url: string;
            page: {
                /** @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                start_time: string;
                /**
                 * @deprecated
                 * @description no longer used; equals `pc_logo`
                 */
                logo: string;
                /** @description address of the desktop video logo */
                pc_logo: string;
                /** @description address of the mobile video logo */
                mobile_logo: string;
                /** @description banner address */
                banner: string;
                /** @description channel icon address */
                cover_image: string;
                /** @description address of the live window background */
                live_img: string;
                /** @description footer copyright text */
                footer: string;
                /** @description viewing page background colour; empty for the theme's own */
                bg_color: string;
                /** @description whether the mobile-viewing QR code is shown */
                show_qrcode: boolean;
                /**
                 * @description theme of the viewing page
                 * @enum {string}
                 */
                theme: "default" | "tech";
                /** @description whether the front page lists the channel */
                public: boolean;
            };
            /** @description RTMP publish address */
            rtmp_publish_addr: string;
            /** @description HLS play address; traffic plan only */
            hls_play_addr?: string;
            /** @description RTMP play address; traffic plan only */
            rtmp_play_addr?: string;
        };
        DeleteResult: {
            /** @description of what was deleted */
            id: number;
            /** @constant */
            result: "success";
        };
        DeletedChannel: {
            /** @description channel id */
            id: number;
            /** @description channel name */
            name: string;
            /** @description when it was deleted */
            deleted_at: string;
            /** @description until when it can be restored */
            goes_at: string;
            /** @description number of its videos */
            videos: number;
        };
        DeletedChannelList: {
            channels: components["schemas"]["DeletedChannel"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        WatchRecord: {
            /** @description watch record id */
            record_id: number;
            /** @description viewer id */
            user_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description viewer location text */
            addr: string;
            /** @description time online, `HH:MM:SS`; hours may pass 24 */
            online_time: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description time of entering, `YYYY-MM-DD HH:MM` */
            first_login_time: string;
            /** @description time of going offline, `YYYY-MM-DD HH:MM` */
            last_online_time: string;
            /** @description viewing device */
            device: string;
            /** @description viewing method */
            browser: string;
            /** @description access source */
            origin: string;
        };
        WatchRecords: components["schemas"]["WatchRecord"][];
        Visitor: {
            /** @description channel id */
            id: number;
            /** @description administrator id */
            uin: number;
            /** @description channel name */
            name: string;
            /** @description viewer location text */
            addr: string;
            /** @description viewer id */
            visitor_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description access source */
            referer: string;
            /** @description the same as `referer`: both spellings are in use */
            refer: string;
            /** @description number of visits */
            visit_times: number;
            /** @description first entry time */
            first_login_time: string;
            /** @description last online time */
            last_online_time: string;
            /** @description last viewing device */
            device: string;
            /** @description last viewing method */
            browser: string;
            /** @description last login IP */
            last_ip: string;
            /** @description number of shares */
            share_times: number;
            /** @description number of chat messages */
            comment_count: number;
        };
        Visitors: components["schemas"]["Visitor"][];
        SessionList: {
            sessions: components["schemas"]["WatchRecord"][];
            /** @description false where `q` may have more than are told: 200 viewers at most, with 50 sessions each, of the last million visitors */
            whole: boolean;
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        VisitorList: {
            visitors: components["schemas"]["Visitor"][];
            /** @description false where `q` may have more than are told: 200 viewers at most, with 50 sessions each, of the last million visitors */
            whole: boolean;
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Show: {
            /** @description show id */
            id: number;
            /** @description when its first part could be played */
            begin: string;
            /** @description when it was live no more; empty while it is on */
            end: string;
            /** @description ids of the videos that it became, in the order of what they show */
            videos: number[];
            /** @description most viewers at once */
            peak: number;
            /** @description viewers at once on average, to a hundredth */
            average: number;
            /** @description viewers */
            uv: number;
            /** @description their sessions */
            pv: number;
            /** @description all viewers together; what one watched in two tabs at once counts once */
            watch_seconds: number;
            /** @description how many minutes each of `minutes` is: 1 for a show of up to a day */
            minutes_each: number;
            /** @description minute by minute from its beginning */
            minutes: {
                /** @description most viewers at once in this minute of the show */
                viewers: number;
                /** @description viewers who watched for the first time in it */
                came: number;
                /** @description viewers who watched for the last time in it */
                left: number;
                /** @description viewers who watched some of this minute of the show's media, whenever */
                seen: number;
                /** @description viewers who watched so many whole minutes at least */
                stayed: number;
            }[];
            /** @description sessions that entered during the show and do not say when they watched: imported ones, and those from before that was kept. They are in no other number */
            unplaced: {
                /** @description sessions */
                sessions: number;
                /** @description what they watched */
                watch_seconds: number;
            };
            /**
             * @description whole: every number can be counted again from its sessions. frozen: they were removed as they had been kept for long enough, and the numbers are those of before. partial: it was on for longer than they are kept, and what was removed is not counted
             * @enum {string}
             */
            records: "whole" | "partial" | "frozen";
            /** @description the same videos, and where in the show they are */
            recordings: {
                /** @description video id */
                video: number;
                /** @description where in the show's media it begins, in milliseconds */
                show_ms: number;
                /** @description its length, to a second */
                duration_ms: number;
            }[];
            /** @description when the media was on: from each of these on clock and media go on together, until the next one. One for the beginning and one for each cut */
            anchors: {
                /** @description milliseconds from the show's beginning on; below 0 where a picture is older */
                at_ms: number;
                /** @description where in the show's media that is */
                media_ms: number;
            }[];
        };
        Report: {
            /** @description channel id */
            id: number;
            /** @description one; none where there was no show yet */
            shows: components["schemas"]["Show"][];
        };
        ShownShow: {
            /** @description show id */
            id: number;
            /** @description when its first part could be played */
            begin: string;
            /** @description when it was live no more; empty while it is on */
            end: string;
            /** @description ids of the videos that it became, in the order of what they show */
            videos: number[];
            /** @description as they were last counted; null while it is on, and until somebody asks for its report */
            figures: {
                /** @description most viewers at once */
                peak: number;
                /** @description viewers at once on average, to a hundredth */
                average: number;
                /** @description viewers */
                uv: number;
                /** @description their sessions */
                pv: number;
                /** @description all viewers together; what one watched in two tabs at once counts once */
                watch_seconds: number;
            } | null;
        };
        Shows: {
            shows: components["schemas"]["ShownShow"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        ShowAudience: {
            /** @description show id */
            id: number;
            /** @description most viewers at once */
            peak: number;
            /** @description viewers at once on average, to a hundredth */
            average: number;
            /** @description viewers */
            uv: number;
            /** @description their sessions */
            pv: number;
            /** @description all viewers together; what one watched in two tabs at once counts once */
            watch_seconds: number;
            /** @description how many minutes each of `minutes` is: 1 for a show of up to a day */
            minutes_each: number;
            /** @description minute by minute from its beginning */
            minutes: {
                /** @description most viewers at once in this minute of the show */
                viewers: number;
                /** @description viewers who watched for the first time in it */
                came: number;
                /** @description viewers who watched for the last time in it */
                left: number;
                /** @description viewers who watched some of this minute of the show's media, whenever */
                seen: number;
                /** @description viewers who watched so many whole minutes at least */
                stayed: number;
            }[];
            /**
             * @description whole: every number can be counted again from its sessions. frozen: they were removed as they had been kept for long enough, and the numbers are those of before. partial: it was on for longer than they are kept, and what was removed is not counted
             * @enum {string}
             */
            records: "whole" | "partial" | "frozen";
            /** @description where they were, the most first; at most 100, as of the others. None of these lists is known of a show whose records are frozen */
            places: {
                name: string;
                /** @description viewers */
                viewers: number;
            }[];
            /** @description what they watched with */
            devices: {
                name: string;
                /** @description viewers */
                viewers: number;
            }[];
            /** @description and in which browser or app */
            browsers: {
                name: string;
                /** @description viewers */
                viewers: number;
            }[];
            /** @description where they came from */
            sources: {
                name: string;
                /** @description viewers */
                viewers: number;
            }[];
            /** @description lines of chat in each of `minutes`; with a filter of those whom it leaves, without the host */
            chat: number[];
            /** @description how often the page was shared in each of them, by the same */
            shares: number[];
            /** @description those who watched longest; at most 100 */
            people: {
                /** @description your `uid` of who came by a signed watch link; of others an id that Footlight made, the same each time they come */
                user_id: string;
                /** @description their name, by the watch link; empty where none was given */
                nick: string;
                /** @description where they were, as their address tells */
                place: string;
                /** @description what they watched with */
                device: string;
                /** @description what they watched of the show */
                watch_seconds: number;
                /** @description of `minutes`, the one in which they watched for the first time */
                came: number;
                /** @description and for the last time */
                left: number;
            }[];
        };
        ShowMinuteLine: {
            /** @description which of the `minutes`, from 0 on */
            minute: number;
            /** @description when it began */
            begin: string;
            /** @description most viewers at once in this minute of the show */
            viewers: number;
            /** @description viewers who watched for the first time in it */
            came: number;
            /** @description viewers who watched for the last time in it */
            left: number;
            /** @description viewers who watched some of this minute of the show's media, whenever */
            seen: number;
            /** @description viewers who watched so many whole minutes at least */
            stayed: number;
            /** @description lines of chat in it */
            chat: number;
            /** @description how often the page was shared in it */
            shares: number;
        };
        ShowPerson: {
            /** @description your `uid` of who came by a signed watch link; of others an id that Footlight made, the same each time they come */
            user_id: string;
            /** @description their name, by the watch link; empty where none was given */
            nick: string;
            /** @description where they were, as their address tells */
            place: string;
            /** @description what they watched with */
            device: string;
            /** @description what they watched of the show */
            watch_seconds: number;
            /** @description of `minutes`, the one in which they watched for the first time */
            came: number;
            /** @description and for the last time */
            left: number;
        };
        ViewerVisits: {
            viewer: components["schemas"]["Visitor"];
            /** @description those of which something was watched, the newest first */
            shows: {
                /** @description show id */
                id: number;
                /** @description when it began */
                begin: string;
                /** @description when it was live no more; empty while it is on */
                end: string;
            }[];
            /** @description visits, the newest first; at most 200 */
            sessions: {
                /** @description watch record id */
                record_id: number;
                /** @description viewer id */
                user_id: string;
                /** @description viewer nickname */
                nick: string;
                /** @description viewer location text */
                addr: string;
                /** @description time online, `HH:MM:SS`; hours may pass 24 */
                online_time: string;
                /** @description time watched, `HH:MM:SS`; hours may pass 24 */
                watch_time: string;
                /** @description viewer telephone number */
                phone: string;
                /** @description time of entering, `YYYY-MM-DD HH:MM` */
                first_login_time: string;
                /** @description time of going offline, `YYYY-MM-DD HH:MM` */
                last_online_time: string;
                /** @description viewing device */
                device: string;
                /** @description viewing method */
                browser: string;
                /** @description access source */
                origin: string;
                /** @description time of entering, to the second */
                entered: string;
                /** @description time of going offline, to the second */
                left: string;
                /** @description what was watched when; null where it was imported, or is from before that was kept */
                watched: {
                    /** @description show id */
                    show: number;
                    /** @description from when, in milliseconds from the show's beginning on */
                    from_ms: number;
                    /** @description until when */
                    to_ms: number;
                }[] | null;
            }[];
            /** @description what they wrote, the newest first; at most 500 */
            chat: {
                /** @description message id */
                id: number;
                text: string;
                /** @description when */
                sent_at: string;
            }[];
            /** @description when they shared the page, the newest first; at most 500 */
            shares: string[];
            /** @description whether they may not write, or not enter */
            silences: {
                /** @enum {string} */
                kind: "mute" | "ban";
                /** @description when it ends; empty for never */
                until: string;
            }[];
            /** @description the registration forms that they filled in, the newest first */
            registrations: {
                /** @description of a video; null: of the channel */
                video_id: number | null;
                /** @description what they answered, by the name that each field had then; a tick is true or false, and what was left empty is not there */
                answers: Record<string, never>;
                /** @description when they filled the form in last */
                registered_at: string;
                /** @description when it was taken back; else empty */
                ended_at: string;
            }[];
        };
        Video: {
            /** @description video id */
            id: number;
            /** @description id of the channel the video belongs to */
            act_id: number;
            /** @description video name */
            name: string;
            /** @description original video address */
            video_url: string;
            /** @description size in bytes */
            video_size: number;
            /** @description m3u8 address */
            m3u8: string;
            /** @description m3u8 address, 480 variant; empty where there is none */
            m3u8_480: string;
            /** @description m3u8 address, 720 variant; empty where there is none */
            m3u8_720: string;
            /** @description m3u8 address, 1080 variant; empty where there is none */
            m3u8_1080: string;
            /** @description length in seconds */
            duration: number;
            /** @description video width */
            width: number;
            /** @description video height */
            height: number;
            /** @description cover image address */
            cover_url: string;
            /** @description playback address */
            watch_url: string;
            /** @description embed address */
            embed_url: string;
            /** @description channel manager id; 0 when there is none */
            manager: number;
            /** @description upload time */
            upload_time: string;
            /** @description video start time */
            start_time: string;
            /** @description video end time */
            end_time: string;
        };
        VideoList: {
            videos: components["schemas"]["Video"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
                /** @description whether live videos are moved to the media library automatically */
                auto_save_live_video: boolean;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Clip: {
            /** @description id of the new video */
            id: number;
            /** @description where what was taken begins, in the media */
            from_ms: number;
            /** @description where it ends */
            to_ms: number;
        };
        Upload: {
            /** @description upload id */
            id: string;
            /** @description channel that the video is for */
            channel_id: number;
            /** @description what the video is called */
            name: string;
            /** @description what the file was called; may be empty */
            filename: string;
            /** @description length of the file in bytes */
            size: number;
            /** @description how much of it has come */
            offset: number;
            /**
             * @description `coming`: bytes are missing; `reading`: it is whole, and is being made a video; `done`; `refused`: see `problem`
             * @enum {string}
             */
            state: "coming" | "reading" | "done" | "refused";
            /** @description why it is refused; else empty */
            problem: string;
            /** @description the same for programs: its `code`, and what the sentence names */
            reason: Record<string, never> | null;
            /** @description the video, when it is done */
            video_id: number | null;
            /** @description when it was begun */
            created: string;
            /** @description when it is forgotten; each byte that comes puts it off */
            expires: string;
        };
        UploadList: {
            uploads: components["schemas"]["Upload"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        DeletedVideo: {
            /** @description video id */
            id: number;
            /** @description id of the channel the video belongs to */
            act_id: number;
            /** @description name of that channel; empty where it is gone */
            channel: string;
            /** @description video name */
            name: string;
            /** @description when it was deleted */
            deleted_at: string;
            /** @description until when it can be restored */
            goes_at: string;
        };
        DeletedVideoList: {
            videos: components["schemas"]["DeletedVideo"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Access: {
            /**
             * @description who may watch now: `open` everybody, `password` who knows it, `codes` who has a code, `list` whose uid or phone is listed, `form` who registers, `signed` who has a link that the account has signed
             * @enum {string}
             */
            kind: "open" | "password" | "codes" | "list" | "form" | "signed";
            /** @description whether a password is set */
            has_password: boolean;
            /** @description whether whoever may not watch is shown the cover */
            show_cover: boolean;
            /** @description passes that were taken back one by one since all were, and could still be shown */
            ended_passes: number;
            /** @description of `list`: uids or phones that may watch */
            list: string[];
            /** @description what is asked of whoever registers, also while another kind holds; may be empty */
            form: {
                /** @description by which answers are kept */
                name: string;
                /** @description what stands at the field */
                label: string;
                /**
                 * @description what is answered in it
                 * @enum {string}
                 */
                kind: "text" | "email" | "phone" | "number" | "choice" | "tick";
                /** @description whether it must be answered */
                required: boolean;
                /** @description of `choice`: what may be chosen */
                choices: string[];
            }[];
            /** @description whether it is a video that goes by its channel */
            of_channel: boolean;
        };
        PlayLink: {
            /** @description by which the link is taken back; empty where everybody may watch */
            pass_id: string;
            /** @description until when it opens what it leads to */
            expires_at: string;
            watch_url: {
                /** @description desktop watch address */
                pc: string;
                /** @description mobile watch address */
                mobile: string;
            };
            /** @description embed address */
            embed_url: string;
            /** @description HLS play address; traffic plan only */
            hls_play_addr?: string;
            /** @description RTMP play address; traffic plan only */
            rtmp_play_addr?: string;
        };
        VideoPlayLink: {
            /** @description by which the link is taken back; empty where everybody may watch */
            pass_id: string;
            /** @description until when it opens what it leads to */
            expires_at: string;
            /** @description playback address */
            watch_url: string;
            /** @description embed address */
            embed_url: string;
            /** @description original video address */
            video_url: string;
            /** @description m3u8 address */
            m3u8: string;
        };
        MadeCodes: {
            codes: {
                /** @description by which it is taken back */
                id: string;
                /** @description what a viewer types; it is shown this once */
                code: string;
            }[];
        };
        CodeList: {
            codes: {
                id: string;
                /** @description how it begins */
                hint: string;
                note: string;
                /** @description how often it has let somebody in */
                uses: number;
                /** @description how often it may; 0: as often as it is typed */
                uses_max: number;
                created_at: string;
            }[];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Registration: {
            /** @description by which it is taken back */
            id: string;
            /** @description viewer id */
            viewer_id: string;
            /** @description what they answered, by the name that each field had then; a tick is true or false, and what was left empty is not there */
            answers: Record<string, never>;
            /** @description when they filled the form in last */
            registered_at: string;
            /** @description when it was taken back; else empty */
            ended_at: string;
            /** @description visits to the channel; 0 while they have not come in */
            visit_times: number;
        };
        RegistrationList: {
            registrations: components["schemas"]["Registration"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        RegistrationRow: {
            /** @description by which it is taken back */
            id: string;
            /** @description viewer id */
            viewer_id: string;
            /** @description when they filled the form in last */
            registered_at: string;
            /** @description when it was taken back; else empty */
            ended_at: string;
            /** @description visits to the channel; 0 while they have not come in */
            visit_times: number;
        };
        VideoFile: {
            /**
             * @description what was recorded, or what is made of it
             * @enum {string}
             */
            file: "480" | "720" | "1080" | "source" | "mp4" | "cover";
            /** @enum {string} */
            state: "ready" | "waiting" | "running" | "failed";
            /** @description why the last try failed or was put off; empty where none was */
            problem: string;
            /** @description how often it was begun */
            tries: number;
            /** @description in bytes; 0 where that is not known */
            size: number;
            /** @description when its state last changed; empty of a source */
            changed_at: string;
        };
        ManagedVideo: {
            /** @description video id */
            id: number;
            /** @description id of the channel the video belongs to */
            act_id: number;
            /** @description video name */
            name: string;
            /** @description original video address */
            video_url: string;
            /** @description size in bytes */
            video_size: number;
            /** @description m3u8 address */
            m3u8: string;
            /** @description m3u8 address, 480 variant; empty where there is none */
            m3u8_480: string;
            /** @description m3u8 address, 720 variant; empty where there is none */
            m3u8_720: string;
            /** @description m3u8 address, 1080 variant; empty where there is none */
            m3u8_1080: string;
            /** @description length in seconds */
            duration: number;
            /** @description video width */
            width: number;
            /** @description video height */
            height: number;
            /** @description cover image address */
            cover_url: string;
            /** @description playback address */
            watch_url: string;
            /** @description embed address */
            embed_url: string;
            /** @description channel manager id; 0 when there is none */
            manager: number;
            /** @description upload time */
            upload_time: string;
            /** @description video start time */
            start_time: string;
            /** @description video end time */
            end_time: string;
            /** @enum {string} */
            state: "ready" | "working" | "failed";
            files: components["schemas"]["VideoFile"][];
        };
        ManagedVideoList: {
            videos: components["schemas"]["ManagedVideo"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Captions: {
            /** @description tag of the language */
            language: string;
            /** @description what viewers choose them by */
            label: string;
            /** @description how many there are */
            cues: number;
            bytes: number;
            /** @description where players get them; where not everybody may watch, only behind a pass */
            address: string;
        };
        CaptionsList: {
            captions: components["schemas"]["Captions"][];
        };
        ExportedSession: {
            /** @description watch record id */
            record_id: number;
            /** @description viewer id */
            user_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description viewer location text */
            addr: string;
            /** @description time online, `HH:MM:SS`; hours may pass 24 */
            online_time: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description time of entering, `YYYY-MM-DD HH:MM` */
            first_login_time: string;
            /** @description time of going offline, `YYYY-MM-DD HH:MM` */
            last_online_time: string;
            /** @description viewing device */
            device: string;
            /** @description viewing method */
            browser: string;
            /** @description access source */
            origin: string;
            /** @description IP address at entering */
            ip: string;
            /** @description time online in milliseconds */
            online_ms: number;
            /** @description time watched in milliseconds */
            watch_ms: number;
            /** @description time of entering, to the millisecond, UTC (ISO 8601) */
            entered_at: string;
            /** @description time of going offline, to the millisecond, UTC (ISO 8601) */
            last_seen_at: string;
        };
        ExportedVisitor: {
            /** @description channel id */
            id: number;
            /** @description administrator id */
            uin: number;
            /** @description channel name */
            name: string;
            /** @description viewer location text */
            addr: string;
            /** @description viewer id */
            visitor_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description access source */
            referer: string;
            /** @description the same as `referer`: both spellings are in use */
            refer: string;
            /** @description number of visits */
            visit_times: number;
            /** @description first entry time */
            first_login_time: string;
            /** @description last online time */
            last_online_time: string;
            /** @description last viewing device */
            device: string;
            /** @description last viewing method */
            browser: string;
            /** @description last login IP */
            last_ip: string;
            /** @description number of shares */
            share_times: number;
            /** @description number of chat messages */
            comment_count: number;
            /** @description time watched in milliseconds */
            watch_ms: number;
            /** @description first entry time, to the millisecond, UTC (ISO 8601) */
            first_entered_at: string;
            /** @description last online time, to the millisecond, UTC (ISO 8601) */
            last_seen_at: string;
        };
        ExportedSessionLine: {
            /** @description watch record id */
            record_id: number;
            /** @description viewer id */
            user_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description viewer location text */
            addr: string;
            /** @description time online, `HH:MM:SS`; hours may pass 24 */
            online_time: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description time of entering, `YYYY-MM-DD HH:MM` */
            first_login_time: string;
            /** @description time of going offline, `YYYY-MM-DD HH:MM` */
            last_online_time: string;
            /** @description viewing device */
            device: string;
            /** @description viewing method */
            browser: string;
            /** @description access source */
            origin: string;
            /** @description IP address at entering */
            ip: string;
            /** @description time online in milliseconds */
            online_ms: number;
            /** @description time watched in milliseconds */
            watch_ms: number;
            /** @description time of entering, to the millisecond, UTC (ISO 8601) */
            entered_at: string;
            /** @description time of going offline, to the millisecond, UTC (ISO 8601) */
            last_seen_at: string;
            /** @description what was watched when, in its order; the lengths come to `watch_ms`. Null for sessions that were imported, or are from before this was kept */
            watched: {
                /** @description beginning of the show: the `begin` that `channel.live` and `show.ended` tell with its `show_id`, to the millisecond, UTC (ISO 8601) */
                show: string;
                /** @description from when it was watched, to the millisecond, UTC (ISO 8601) */
                from: string;
                /** @description until when, to the millisecond, UTC (ISO 8601) */
                to: string;
                /** @description where in the show's media the picture was at `from`, in milliseconds; it went on with the clock */
                position_ms: number;
            }[] | null;
        };
        ExportedVisitorLine: {
            /** @description channel id */
            id: number;
            /** @description administrator id */
            uin: number;
            /** @description channel name */
            name: string;
            /** @description viewer location text */
            addr: string;
            /** @description viewer id */
            visitor_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description time watched, `HH:MM:SS`; hours may pass 24 */
            watch_time: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description access source */
            referer: string;
            /** @description the same as `referer`: both spellings are in use */
            refer: string;
            /** @description number of visits */
            visit_times: number;
            /** @description first entry time */
            first_login_time: string;
            /** @description last online time */
            last_online_time: string;
            /** @description last viewing device */
            device: string;
            /** @description last viewing method */
            browser: string;
            /** @description last login IP */
            last_ip: string;
            /** @description number of shares */
            share_times: number;
            /** @description number of chat messages */
            comment_count: number;
            /** @description time watched in milliseconds */
            watch_ms: number;
            /** @description first entry time, to the millisecond, UTC (ISO 8601) */
            first_entered_at: string;
            /** @description last online time, to the millisecond, UTC (ISO 8601) */
            last_seen_at: string;
            /** @description what they answered, by the name that each field had then; a tick is true or false, and what was left empty is not there */
            answers: Record<string, never>;
        };
        /** @description a row of the database, whole; instants are UTC */
        ViewerLine: {
            /**
             * @description where the line stands
             * @enum {string}
             */
            table: "visitors" | "sessions" | "chat_messages" | "chat_silences" | "shares" | "registrations" | "access_keys";
            /** @description channel id */
            channel_id: number;
            /** @description viewer id */
            viewer_id: string;
        };
        ErasedViewer: {
            /** @description viewer id */
            viewer_id: string;
            channels: {
                /** @description channel id */
                channel_id: number;
                /** @description watch records and visitors erased */
                records: number;
                /** @description chat messages erased */
                messages: number;
                /** @description mutes and bans erased */
                silences: number;
                /** @description registration forms erased */
                registrations: number;
                /** @description lists of who may watch that they are off */
                lists: number;
            }[];
        };
        ChatMessage: {
            /** @description message id; rises from 1 in each channel */
            id: number;
            /** @description who wrote it; empty for the host */
            viewer_id: string;
            /** @description nickname at that time */
            nick: string;
            /** @description what was written */
            text: string;
            /** @description when, `YYYY-MM-DD HH:MM:SS` */
            sent_at: string;
            /** @description whether the host of the channel wrote it */
            host: boolean;
            /** @description id of the message that it answers; null where it answers none */
            reply_to: number | null;
            /** @description that message; null where it was removed, too */
            quoted: {
                nick: string;
                text: string;
                host: boolean;
            } | null;
        };
        Chat: {
            /** @description whether viewers may write */
            open: boolean;
            /** @description seconds between two lines of one viewer; 0 where it is not slow */
            slow_seconds: number;
            /** @description the message that stands above the chat; null where none does */
            pinned: components["schemas"]["ChatMessage"] | null;
            messages: components["schemas"]["ChatMessage"][];
            /** @description `before` of the next page; null when there is none */
            next_before: number | null;
            /** @description `after` of the next call, to get what is written from now on */
            next_after: number;
        };
        RemovedMessages: {
            /** @description ids of the messages that were there */
            removed: number[];
        };
        ChatState: {
            /** @description whether viewers may write */
            open: boolean;
        };
        ChatPace: {
            /** @description seconds between two lines of one viewer; 0 where it is not slow */
            slow_seconds: number;
        };
        PinnedMessage: {
            /** @description what stands above the chat */
            pinned: components["schemas"]["ChatMessage"] | null;
        };
        Silence: {
            /** @description viewer id */
            viewer_id: string;
            /**
             * @description `mute`: may not write; `ban`: may not enter either
             * @enum {string}
             */
            kind: "mute" | "ban";
            /** @description when it ends; an empty string for never */
            until: string;
            /** @description when it was made */
            created_at: string;
        };
        Silences: {
            silences: components["schemas"]["Silence"][];
        };
        UploadedImage: {
            /** @description a path of this site, as it is written into a field of the viewing page */
            address: string;
            /** @description in pixels */
            width: number;
            /** @description in pixels */
            height: number;
        };
        PagePreview: {
            /** @description the settings that the page was made with */
            page: {
                /** @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                start_time: string;
                /**
                 * @deprecated
                 * @description no longer used; equals `pc_logo`
                 */
                logo: string;
                /** @description address of the desktop video logo */
                pc_logo: string;
                /** @description address of the mobile video logo */
                mobile_logo: string;
                /** @description banner address */
                banner: string;
                /** @description channel icon address */
                cover_image: string;
                /** @description address of the live window background */
                live_img: string;
                /** @description footer copyright text */
                footer: string;
                /** @description viewing page background colour; empty for the theme's own */
                bg_color: string;
                /** @description whether the mobile-viewing QR code is shown */
                show_qrcode: boolean;
                /**
                 * @description theme of the viewing page
                 * @enum {string}
                 */
                theme: "default" | "tech";
                /** @description whether the front page lists the channel */
                public: boolean;
            };
            /** @description the page, a whole HTML document */
            html: string;
        };
        Me: {
            /** @description null where a token asks */
            person: {
                id: number;
                name: string;
                user_name: string;
            } | null;
            account: {
                id: number;
                name: string;
                /** @enum {string} */
                plan: "traffic" | "standard";
            };
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            /** @description what the caller may do */
            scopes: string[];
            /** @description in which times are shown and read */
            time_zone: string;
            /** @description the time of the service */
            now: string;
        };
        Link: {
            /**
             * @description `first`: makes the account's first person; `invite`: another one; `reset`: a new password
             * @enum {string}
             */
            for: "first" | "invite" | "reset";
            account: {
                id: number;
                name: string;
            };
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            /** @description whose password it is for; empty where somebody is to be made */
            user_name: string;
            /** @description whom it was made for; may be empty */
            name: string;
            expires_at: string;
        };
        ConsoleSession: {
            id: number;
            /** @description when the person signed in */
            made_at: string;
            /** @description to the minute */
            last_used_at: string;
            /** @description network address that it was last used from */
            address: string;
            device: string;
            browser: string;
            /** @description whether it is the one that asks */
            current: boolean;
        };
        Person: {
            id: number;
            name: string;
            user_name: string;
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            made_at: string;
            /** @description when they last used the console; empty where they are signed out */
            last_used_at: string;
        };
        Invitation: {
            id: number;
            /** @description whom it was made for; may be empty */
            name: string;
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            made_at: string;
            expires_at: string;
        };
        OneTimeLink: {
            /** @description good once; it is shown this once */
            link: string;
            expires_at: string;
        };
        Manager: {
            id: number;
            username: string;
            /** @description how many channels it has */
            channels: number;
            created_at: string;
        };
        Token: {
            id: number;
            /** @description what it is for; may be empty */
            name: string;
            /** @description what it may do */
            scopes: string[];
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            created_at: string;
            /** @description when it ends, or has ended; empty where it does not */
            expires_at: string;
            /** @description to some minutes; empty where it was not used since this is noted */
            last_used_at: string;
        };
        MadeToken: {
            /** @description the token itself: it is shown this once */
            token: string;
            id: number;
            /** @description what it is for; may be empty */
            name: string;
            /** @description what it may do */
            scopes: string[];
            /** @description null on the account's own side */
            manager: {
                id: number;
                username: string;
            } | null;
            created_at: string;
            /** @description when it ends, or has ended; empty where it does not */
            expires_at: string;
            /** @description to some minutes; empty where it was not used since this is noted */
            last_used_at: string;
        };
        Account: {
            id: number;
            name: string;
            /**
             * @description whether play addresses are shown; the operator decides
             * @enum {string}
             */
            plan: "traffic" | "standard";
            /** @description whether a push becomes a video */
            auto_save_live_video: boolean;
            /**
             * @description in which new watch records say where a viewer is (`addr`)
             * @enum {string}
             */
            place_language: "en" | "zh";
            created_at: string;
            /** @description channels that there are */
            channels: number;
            /** @description channels that there may be; 0: any number */
            channels_max: number;
            /** @description videos that there are */
            videos: number;
            /** @description managers that there are */
            managers: number;
            /** @description people who may sign in */
            people: number;
            /** @description tokens that are not revoked */
            tokens: number;
            /** @description videos of pushes are kept for so many days; 0: for ever */
            video_retention_days: number;
            /** @description watch records and chat are kept for so many days; 0: for ever */
            audience_retention_days: number;
            /** @description whole IP addresses are kept for so many days; 0: for ever */
            ip_retention_days: number;
        };
        ChannelStorage: {
            /** @description channel id */
            id: number;
            /** @description channel name; empty where the channel is gone */
            name: string;
            /** @description whether the channel is deleted: its recordings take room until they are removed */
            deleted: boolean;
            videos: number;
            bytes: number;
        };
        Storage: {
            /** @description of all channels, of what is being uploaded, of pictures and of captions */
            bytes: number;
            /** @description of these, what has come of files that are no videos yet */
            uploads_bytes: number;
            /** @description of these, what uploaded pictures of viewing pages take */
            images_bytes: number;
            /** @description of these, what captions of videos take */
            captions_bytes: number;
            /** @description beyond this nothing more is recorded or kept; 0: no bound */
            bytes_max: number;
            /** @description recordings of all channels */
            videos: number;
            channels: components["schemas"]["ChannelStorage"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Job: {
            id: number;
            /**
             * @description which file of the video
             * @enum {string}
             */
            kind: "480" | "720" | "1080" | "mp4" | "cover";
            video: {
                id: number;
                name: string;
            };
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed";
            /** @description how often it was begun */
            tries: number;
            /** @description why the last try failed or was put off; empty where none was */
            problem: string;
            created_at: string;
            changed_at: string;
        };
        Jobs: {
            jobs: components["schemas"]["Job"][];
            counts: {
                waiting: number;
                running: number;
                done: number;
                failed: number;
            };
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Webhook: {
            id: number;
            /** @description whither events are sent; its query may hold a secret, and is shown to the account alone */
            url: string;
            /** @description what it is for; may be empty */
            description: string;
            /** @description types of events that it is told of */
            events: string[];
            enabled: boolean;
            /**
             * @description why nothing is sent to it: `by_owner`; `gone`, where it answered 410; `failing`, where no try has succeeded for five days; `restored`, where a backup was restored so. Empty while it is enabled
             * @enum {string}
             */
            disabled_reason: "" | "by_owner" | "gone" | "failing" | "restored";
            created_at: string;
            /** @description until when the secret before signs too; empty where none does */
            old_secret_until: string;
            /** @description empty where there was none */
            last_success_at: string;
            /** @description of the first try that failed since the last success; empty where none has */
            failing_since: string;
            /** @description deliveries that wait */
            pending: number;
            /** @description events of the account that were older than events are kept when it came to them, whatever their type */
            missed: number;
        };
        MadeWebhook: {
            /** @description what requests are signed with, as Standard Webhooks says: it is shown this once */
            secret: string;
            id: number;
            /** @description whither events are sent; its query may hold a secret, and is shown to the account alone */
            url: string;
            /** @description what it is for; may be empty */
            description: string;
            /** @description types of events that it is told of */
            events: string[];
            enabled: boolean;
            /**
             * @description why nothing is sent to it: `by_owner`; `gone`, where it answered 410; `failing`, where no try has succeeded for five days; `restored`, where a backup was restored so. Empty while it is enabled
             * @enum {string}
             */
            disabled_reason: "" | "by_owner" | "gone" | "failing" | "restored";
            created_at: string;
            /** @description until when the secret before signs too; empty where none does */
            old_secret_until: string;
            /** @description empty where there was none */
            last_success_at: string;
            /** @description of the first try that failed since the last success; empty where none has */
            failing_since: string;
            /** @description deliveries that wait */
            pending: number;
            /** @description events of the account that were older than events are kept when it came to them, whatever their type */
            missed: number;
        };
        WholeWebhookDelivery: {
            id: number;
            /** @description `webhook-id` of the request, the same however often it is sent; empty of a notice */
            event_id: string;
            /** @description of the event; `webhook.test`, and of notices `webhook.disabled` or `webhook.missed` */
            type: string;
            /** @description 0 for none */
            channel_id: number;
            is_resend: boolean;
            is_test: boolean;
            /**
             * @description pending: it is tried, or waits for those of its channel before it. given_up: three days after its first try. notice: what became of the webhook itself, in `problem`
             * @enum {string}
             */
            state: "pending" | "delivered" | "given_up" | "notice";
            tries: number;
            created_at: string;
            /** @description the last try; empty before the first */
            tried_at: string;
            /** @description not before then; empty where it is not put off */
            next_try_at: string;
            /** @description empty while it is pending */
            done_at: string;
            /** @description of the last answer; 0 where there was none */
            status: number;
            /** @description the last try, in milliseconds */
            took_ms: number;
            /** @description why the last try failed; empty where it did not */
            problem: string;
            /** @description as it was last sent */
            request: {
                headers: {
                    name: string;
                    value: string;
                }[];
                body: string;
            };
            /** @description the last one: the first 4096 characters of its body, and as many of its headers as fit into 2048 */
            answer: {
                headers: {
                    name: string;
                    value: string;
                }[];
                body: string;
            };
        };
        WebhookDelivery: {
            id: number;
            /** @description `webhook-id` of the request, the same however often it is sent; empty of a notice */
            event_id: string;
            /** @description of the event; `webhook.test`, and of notices `webhook.disabled` or `webhook.missed` */
            type: string;
            /** @description 0 for none */
            channel_id: number;
            is_resend: boolean;
            is_test: boolean;
            /**
             * @description pending: it is tried, or waits for those of its channel before it. given_up: three days after its first try. notice: what became of the webhook itself, in `problem`
             * @enum {string}
             */
            state: "pending" | "delivered" | "given_up" | "notice";
            tries: number;
            created_at: string;
            /** @description the last try; empty before the first */
            tried_at: string;
            /** @description not before then; empty where it is not put off */
            next_try_at: string;
            /** @description empty while it is pending */
            done_at: string;
            /** @description of the last answer; 0 where there was none */
            status: number;
            /** @description the last try, in milliseconds */
            took_ms: number;
            /** @description why the last try failed; empty where it did not */
            problem: string;
        };
        WebhookDeliveries: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description `before` for older ones; null where there are none */
            next_before: number | null;
        };
        Resent: {
            /** @description how many will be sent again */
            count: number;
            /** @description `from` for those that are left; null where none is */
            next_from: number | null;
        };
        AuditEntry: {
            id: number;
            at: string;
            /**
             * @description by which way it came
             * @enum {string}
             */
            via: "console" | "interface" | "command";
            who: {
                /** @enum {string} */
                kind: "person" | "token" | "command";
                /** @description of the person or the token; 0 for the command line */
                id: number;
                /** @description the name they had then */
                name: string;
                /** @description whom they stand for; null for the account's own side */
                manager: {
                    id: number;
                    username: string;
                } | null;
            };
            /** @description the operationId of this document; `refusedSignIn` for a wrong password; the name of a command */
            operation: string;
            /** @enum {string} */
            group: "channels" | "videos" | "chat" | "exports" | "viewers" | "people" | "managers" | "tokens" | "webhooks" | "account" | "sign_in" | "service";
            target: {
                /** @enum {string} */
                kind: "account" | "channel" | "video" | "person" | "manager" | "token" | "job" | "session" | "invitation" | "webhook";
                id: number;
                /** @description the name it had before; may be empty */
                name: string;
            } | null;
            /** @description the channel it is about; 0 for none */
            channel_id: number;
            /** @description those that the request set, by name */
            fields: string[];
            /** @description of those fields that are plain names; of an upload its name */
            values: Record<string, never>;
            /** @description whence it came; empty for the command line */
            address: string;
            /** @description how often: refused sign-ins of an hour share a row */
            times: number;
        };
        Audit: {
            entries: components["schemas"]["AuditEntry"][];
            /** @description `before` for older rows; null where there are none */
            next_before: string | null;
        };
        /** @description A channel was created, or a deleted one was brought back: then its videos are back with it, and are not told one by one. */
        ChannelCreatedEvent: {
            /** @constant */
            type: "channel.created";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description its name */
                name: string;
                /** @description id of its manager; 0 for none */
                manager_id: number;
                /** @description whether it had been deleted and was brought back, with all that it had */
                restored: boolean;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description The name, the page settings, the manager or the publish key of a channel changed. */
        ChannelUpdatedEvent: {
            /** @constant */
            type: "channel.updated";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description its name */
                name: string;
                /** @description id of its manager; 0 for none */
                manager_id: number;
                /** @description what changed: `name`, `manager`, `publish_key`, or names of page settings; no values, and never the key */
                changed: string[];
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A channel was deleted, and its videos with it, which are not told one by one. It can be brought back for some days. */
        ChannelDeletedEvent: {
            /** @constant */
            type: "channel.deleted";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description its name */
                name: string;
                /** @description id of its manager; 0 for none */
                manager_id: number;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A channel is live: the first part of its show can be played. */
        ChannelLiveEvent: {
            /** @constant */
            type: "channel.live";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description show id, as the report and the exports of the show take it */
                show_id: number;
                /**
                 * Format: date-time
                 * @description when its first part could be played; ISO 8601, in UTC
                 */
                begin: string;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A channel is live no more. Where a service was killed it is told by the next start, with the last moment that the show was known to be on. */
        ChannelOfflineEvent: {
            /** @constant */
            type: "channel.offline";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description show id, as the report and the exports of the show take it */
                show_id: number;
                /**
                 * Format: date-time
                 * @description when its first part could be played; ISO 8601, in UTC
                 */
                begin: string;
                /**
                 * Format: date-time
                 * @description when it was live no more; ISO 8601, in UTC
                 */
                end: string;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A show has ended and was counted, a minute or two after its end; once for each show, also where nobody watched. Who watched it: `GET /manage/v1/channels/{channel_id}/shows/{show_id}/people.ndjson`. */
        ShowEndedEvent: {
            /** @constant */
            type: "show.ended";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description show id, as the report and the exports of the show take it */
                show_id: number;
                /**
                 * Format: date-time
                 * @description when its first part could be played; ISO 8601, in UTC
                 */
                begin: string;
                /**
                 * Format: date-time
                 * @description when it was live no more; ISO 8601, in UTC
                 */
                end: string;
                /** @description videos that it became so far */
                video_ids: number[];
                figures: {
                    /** @description most viewers at once */
                    peak: number;
                    /** @description viewers at once on average, to a hundredth */
                    average: number;
                    /** @description viewers */
                    uv: number;
                    /** @description their sessions */
                    pv: number;
                    /** @description all viewers together; what one watched in two tabs at once counts once */
                    watch_seconds: number;
                };
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A video was made: of a push, a clip, an upload or an import; or a deleted one was brought back. */
        VideoCreatedEvent: {
            /** @constant */
            type: "video.created";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description video id */
                video_id: number;
                /** @description channel id */
                channel_id: number;
                /** @description title of the video */
                name: string;
                /**
                 * @description what it was made of
                 * @enum {string}
                 */
                source: "push" | "clip" | "upload" | "import";
                /** @description whether it had been deleted and was brought back, with all that it had */
                restored: boolean;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description All files of a video are made that will be; it follows each `video.created`, and each retry of a file that had failed. */
        VideoReadyEvent: {
            /** @constant */
            type: "video.ready";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description video id */
                video_id: number;
                /** @description channel id */
                channel_id: number;
                /** @description title of the video */
                name: string;
                /** @description files that could not be made: `mp4`, `cover`, `480`, `720` or `1080` */
                failed: string[];
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A video was deleted by itself, or was kept for as long as videos are. */
        VideoDeletedEvent: {
            /** @constant */
            type: "video.deleted";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description video id */
                video_id: number;
                /** @description channel id */
                channel_id: number;
                /** @description title of the video */
                name: string;
                /**
                 * @description deleted: by somebody, and can be brought back for some days. retention: as old as a video may become
                 * @enum {string}
                 */
                reason: "deleted" | "retention";
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description Sessions of a channel are over: their pages left and did not come back within half a minute. Up to 1,000 in one event, in an order of their own. */
        AudienceSessionEndedEvent: {
            /** @constant */
            type: "audience.session.ended";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description channel id */
                channel_id: number;
                /** @description ids of the sessions, as in the watch records */
                sessions: number[];
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        /** @description A file of a video could not be made, and is given up until somebody retries it. */
        JobFailedEvent: {
            /** @constant */
            type: "job.failed";
            /**
             * Format: date-time
             * @description when it was written; ISO 8601, in UTC
             */
            timestamp: string;
            data: {
                /** @description job id */
                job_id: number;
                /** @description which file: `mp4`, `cover`, `480`, `720` or `1080` */
                kind: string;
                /** @description video id */
                video_id: number;
                /** @description channel id */
                channel_id: number;
                /** @description how often it was begun */
                tries: number;
                /** @description why the last try failed */
                problem: string;
            };
            /** @description the same however often it is told; where to go on from is another thing, the position */
            id: string;
        };
        Event: components["schemas"]["ChannelCreatedEvent"] | components["schemas"]["ChannelUpdatedEvent"] | components["schemas"]["ChannelDeletedEvent"] | components["schemas"]["ChannelLiveEvent"] | components["schemas"]["ChannelOfflineEvent"] | components["schemas"]["ShowEndedEvent"] | components["schemas"]["VideoCreatedEvent"] | components["schemas"]["VideoReadyEvent"] | components["schemas"]["VideoDeletedEvent"] | components["schemas"]["AudienceSessionEndedEvent"] | components["schemas"]["JobFailedEvent"];
        Events: {
            events: components["schemas"]["Event"][];
            /** @description numbers of events behind `after` that are not kept any more */
            missing: {
                /** @enum {string} */
                feed: "main" | "sessions";
                from: number;
                to: number;
            }[];
            /** @description `after` of the next page */
            next_after: string;
        };
        ViewerSecret: {
            /** @description what watch links are signed with */
            secret: string;
        };
        ChannelState: {
            /** @description channel id */
            id: number;
            /** @description channel name */
            name: string;
            /** @description 0 = not live, 1 = live */
            live_status: number;
            /**
             * @description `new`: it was never on air and has no start time; one with a start ahead is `upcoming`, whatever was before
             * @enum {string}
             */
            state: "on_air" | "upcoming" | "past" | "new";
            /** @description viewers now; null where only another service knows, and does not say */
            viewers: number | null;
            /** @description live start time; empty where it is not set */
            start_time: string;
            /** @description channel manager id; 0 when there is none */
            manager: number;
            /** @description channel manager username; empty when there is none */
            manager_username: string;
            /** @description time of the last stream push; empty before the first */
            last_push_stream_at: string;
            /** @description channel icon address; empty where it is not set */
            cover_image: string;
            /** @description whether `picture.jpg` can be asked for now */
            has_picture: boolean;
        };
        ChannelStates: {
            channels: components["schemas"]["ChannelState"][];
            counts: {
                /** @description channels that the token sees */
                all: number;
                /** @description on air now */
                on_air: number;
                /** @description not on air, with a start ahead */
                upcoming: number;
                /** @description not on air, without a start ahead, but with one behind or a push */
                past: number;
            };
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        Node: {
            name: string;
            /** @description whether it is the one that answers this */
            answers: boolean;
            version: string;
            /**
             * @description `draining`: it is about to go and takes nothing new; `silent`: it has given no sign of life for three seconds; one that was killed is so for a week
             * @enum {string}
             */
            state: "there" | "draining" | "silent";
            started_at: string;
            /** @description its last sign of life */
            seen_at: string;
            /** @description whether the node that answers has a link to it; null of itself, and where there are no links */
            linked: boolean | null;
            /** @description the time over that link and back; null where it is not known */
            round_trip_ms: number | null;
            /** @description channels that it has on air, of all accounts */
            pushes: number;
            /** @description those of the account, the latest first; 200 of all nodes at most */
            channels: {
                id: number;
                name: string;
            }[];
            /** @description who is at it, of all accounts; null where it does not answer */
            viewers: number | null;
            /** @description where it keeps them; null of an older version */
            recordings: ("disk" | "bucket") | null;
            /** @description null where recordings stay on the disk, or the node does not answer */
            spool: {
                /** @description segments that wait on its disk for S3 */
                waiting: number;
                /** @description S3 did not take what it was last given */
                away: boolean;
            } | null;
        };
        Nodes: {
            /** @description whether there are others, or this one has a `NODE_NAME` or `NODE_URL` */
            several: boolean;
            nodes: components["schemas"]["Node"][];
        };
        PresentViewer: {
            /** @description viewer id */
            user_id: string;
            /** @description viewer nickname */
            nick: string;
            /** @description viewer telephone number */
            phone: string;
            /** @description viewer location text */
            addr: string;
            /** @description viewing device */
            device: string;
            /** @description viewing method */
            browser: string;
            /** @description when they came in, `YYYY-MM-DD HH:MM:SS` */
            since: string;
            /** @description pages of the channel that they have open */
            pages: number;
            /** @description whether they play it; one who stops may be shown as playing for ten seconds more */
            playing: boolean;
            /** @description whether they may not write in the chat */
            muted: boolean;
        };
        PresentViewers: {
            viewers: components["schemas"]["PresentViewer"][];
            meta: {
                /** @description total number of rows */
                total: number;
                /** @description total number of pages */
                page: number;
                /** @description current page number */
                current: number;
            };
            links: {
                /** @description address of the next page; null when there is none */
                next_url: string | null;
                /** @description address of the last page */
                end_url: string;
            };
        };
        ChannelLive: {
            /** @description channel id */
            id: number;
            /** @description whether viewers can play it */
            on_air: boolean;
            /** @description the one that is on, as in its report */
            show: {
                /** @description show id */
                id: number;
                /** @description when its first part could be played */
                begin: string;
            } | null;
            /** @description viewers now */
            viewers: number | null;
            /** @description most viewers at once in this show so far */
            peak: number | null;
            /** @description from the beginning of the show */
            curve: {
                /** @description how long a step is: 10, and longer as the show becomes longer */
                step_seconds: number;
                /** @description most viewers at once in each step, 720 of them at most */
                viewers: number[];
            } | null;
            /** @description null where there is none, or the service that has it cannot be asked */
            push: {
                /** @description when it began */
                since: string;
                /** @description false while it is cut and may come back */
                connected: boolean;
                /** @description what the encoder calls itself; empty where it does not say */
                encoder: string;
                video: {
                    /** @description as RFC 6381 writes it */
                    codec: string;
                    /** @description pixels */
                    width: number;
                    /** @description pixels */
                    height: number;
                    /** @description pictures a second */
                    fps: number | null;
                    /** @description kilobits a second */
                    kbps: number | null;
                    /** @description between the last two key frames */
                    key_frame_seconds: number | null;
                    /** @description the longest of the last minute */
                    key_frame_seconds_max: number | null;
                } | null;
                audio: {
                    /** @description as RFC 6381 writes it */
                    codec: string;
                    /** @description samples a second */
                    sample_rate: number;
                    /** @description 1 = mono, 2 = stereo */
                    channels: number;
                    /** @description kilobits a second */
                    kbps: number | null;
                } | null;
                /** @description times that it was cut */
                cuts: number;
                /** @description how much later media comes than the soonest of the last minute */
                late_seconds: number | null;
                timestamps: {
                    /** @description times that the encoder's clock has jumped */
                    jumps: number;
                    /** @description packets whose time is before that of the last one */
                    backward: number;
                };
            } | null;
            /** @description what to change, the most urgent first */
            advice: {
                /**
                 * @description what there is to say
                 * @enum {string}
                 */
                code: "push_away" | "slower_than_real_time" | "keyframes_far_apart" | "frames_missing" | "connection_cut" | "bit_rate_near_bound" | "timestamps_jump" | "no_picture" | "no_sound";
                /** @description how far apart, or how late */
                seconds?: number;
                /** @description pictures a second that come */
                fps?: number;
                /** @description pictures a second that the encoder says it sends */
                said_fps?: number;
                /** @description what comes */
                kbps?: number;
                /** @description what may come */
                kbps_max?: number;
                /** @description how often */
                count?: number;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listChannels: {
        parameters: {
            query?: {
                /** @description 1 = only channels currently live */
                live?: 0 | 1;
                /** @description channel manager id; 0 = those of no manager */
                manager?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelList"];
                };
            };
        };
    };
    createChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description a second create with the same key within 24 hours answers the first one’s channel; 404 where that is deleted */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description channel name
                     * @example Spring launch
                     */
                    name: string;
                    /**
                     * @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime`
                     * @example 2026-05-01 19:30:00
                     */
                    start_time?: string | "";
                    /** @description channel manager id */
                    act_manager_id?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    renameChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description channel name
                     * @example Spring launch
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    changeChannelPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime`
                     * @example 2026-05-01 19:30:00
                     */
                    start_time?: string | "";
                    /** @description address of the desktop video logo */
                    pc_logo?: string;
                    /** @description address of the mobile video logo */
                    mobile_logo?: string;
                    /** @description banner address */
                    banner?: string;
                    /** @description channel icon address */
                    cover_image?: string;
                    /** @description address of the live window background */
                    live_img?: string;
                    /** @description footer copyright text */
                    footer?: string;
                    /**
                     * @description viewing page background colour; empty for the theme's own
                     * @example rgb(255,255,255,1)
                     */
                    bg_color?: string;
                    /**
                     * @description whether the mobile-viewing QR code is shown
                     * @default true
                     */
                    show_qrcode?: boolean;
                    /**
                     * @description theme of the viewing page
                     * @default default
                     * @enum {string}
                     */
                    theme?: "default" | "tech";
                    /**
                     * @description whether the front page lists the channel
                     * @default false
                     */
                    public?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelWithWholePage"];
                };
            };
        };
    };
    rotatePublishKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    restoreChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
        };
    };
    listDeletedChannels: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedChannelList"];
                };
            };
        };
    };
    getWatchRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description start of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime`
                     * @example 2026-05-01 19:30:00
                     */
                    start_time?: string | "";
                    /**
                     * @description end of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `endTime`
                     * @example 2026-05-01 21:30:00
                     */
                    end_time?: string | "";
                    /**
                     * @description results per page
                     * @default 20
                     */
                    perPage?: number;
                    /**
                     * @description page number; also taken as `page`
                     * @default 1
                     */
                    p?: number;
                    /**
                     * @description 1 = exclude viewers who did not watch, 0 = include them
                     * @default 1
                     * @enum {integer}
                     */
                    filter_watch_time?: 1 | 0;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchRecords"];
                };
            };
        };
    };
    getVisitors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description 1 = exclude viewers whose watch time is under 1 minute, 0 = all viewers
                     * @default 0
                     * @enum {string}
                     */
                    filter?: "0" | "1";
                    /**
                     * @description results per page
                     * @default 20
                     */
                    perPage?: number;
                    /**
                     * @description page number; also taken as `page`
                     * @default 1
                     */
                    p?: number;
                    /**
                     * @description order by first entry
                     * @default desc
                     * @enum {string}
                     */
                    direction?: "desc" | "asc";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Visitors"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description only those whose name, phone number or viewer id has this in it */
                q?: string;
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
                /** @description start of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime` */
                start_time?: string | "";
                /** @description end of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `endTime` */
                end_time?: string | "";
                /** @description 1 = exclude viewers who did not watch, 0 = include them */
                filter_watch_time?: 1 | 0;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    listVisitors: {
        parameters: {
            query?: {
                /** @description only those whose name, phone number or viewer id has this in it */
                q?: string;
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
                /** @description 1 = exclude viewers whose watch time is under 1 minute, 0 = all viewers */
                filter?: "0" | "1";
                /** @description order by first entry */
                direction?: "desc" | "asc";
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitorList"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: {
                /** @description show id; absent: the latest */
                show?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    listShows: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shows"];
                };
            };
        };
    };
    getShowAudience: {
        parameters: {
            query?: {
                /** @description only those who were there */
                place?: string;
                /** @description only what was watched with it */
                device?: string;
                /** @description only what was watched in it */
                browser?: string;
                /** @description only those who came from there */
                source?: string;
                /** @description only those who came in it: of the report's `minutes`, from 0 on */
                came?: number;
                /** @description only those who left in it: of the report's `minutes`, from 0 on */
                left?: number;
                /** @description only those who saw some of it, of the show's media: of the report's `minutes`, from 0 on */
                seen?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
                /** @description show id */
                show_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowAudience"];
                };
            };
        };
    };
    exportShowMinutes: {
        parameters: {
            query?: {
                /** @description only those who were there */
                place?: string;
                /** @description only what was watched with it */
                device?: string;
                /** @description only what was watched in it */
                browser?: string;
                /** @description only those who came from there */
                source?: string;
                /** @description only those who came in it: of the report's `minutes`, from 0 on */
                came?: number;
                /** @description only those who left in it: of the report's `minutes`, from 0 on */
                left?: number;
                /** @description only those who saw some of it, of the show's media: of the report's `minutes`, from 0 on */
                seen?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
                /** @description show id */
                show_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportShowPeople: {
        parameters: {
            query?: {
                /** @description only those who were there */
                place?: string;
                /** @description only what was watched with it */
                device?: string;
                /** @description only what was watched in it */
                browser?: string;
                /** @description only those who came from there */
                source?: string;
                /** @description only those who came in it: of the report's `minutes`, from 0 on */
                came?: number;
                /** @description only those who left in it: of the report's `minutes`, from 0 on */
                left?: number;
                /** @description only those who saw some of it, of the show's media: of the report's `minutes`, from 0 on */
                seen?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
                /** @description show id */
                show_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportShowPeopleNdjson: {
        parameters: {
            query?: {
                /** @description only those who were there */
                place?: string;
                /** @description only what was watched with it */
                device?: string;
                /** @description only what was watched in it */
                browser?: string;
                /** @description only those who came from there */
                source?: string;
                /** @description only those who came in it: of the report's `minutes`, from 0 on */
                came?: number;
                /** @description only those who left in it: of the report's `minutes`, from 0 on */
                left?: number;
                /** @description only those who saw some of it, of the show's media: of the report's `minutes`, from 0 on */
                seen?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
                /** @description show id */
                show_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ShowPerson"][];
                };
            };
        };
    };
    getViewer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
                /** @description viewer id: `user_id` of a watch record */
                viewer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewerVisits"];
                };
            };
        };
    };
    listVideos: {
        parameters: {
            query?: {
                /** @description part of the video name, in any case */
                title?: string;
                /** @description id of the owning channel */
                act_id?: number;
                /** @description channel manager id; 0 = those of no manager */
                manager?: number;
                /** @description results per page */
                perPage?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VideoList"];
                };
            };
        };
    };
    getVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Video"];
                };
            };
        };
    };
    makeClip: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description so much of the show that is on, up to now
                     * @example 60
                     */
                    last_seconds?: number;
                    /** @description id of a show of the channel */
                    show?: number;
                    /** @description id of a video of the channel */
                    video_id?: number;
                    /** @description where it begins, in the media of the show or the video */
                    from_ms?: number;
                    /** @description where it ends, at most 3600000 after it begins */
                    to_ms?: number;
                    /** @description name of the new video; else by the channel and when it was */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clip"];
                };
            };
        };
    };
    listUploads: {
        parameters: {
            query?: {
                /** @description only those of this channel */
                channel_id?: number;
                /** @description results per page */
                perPage?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadList"];
                };
            };
        };
    };
    beginUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description version of the protocol */
                "Tus-Resumable": "1.0.0";
                /** @description length of the file in bytes */
                "Upload-Length": string;
                /** @description keys with their values in base64, by commas: `channel_id`, which must be given, `filename` and `name` */
                "Upload-Metadata": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    describeUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description upload id */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    endUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description version of the protocol */
                "Tus-Resumable": "1.0.0";
            };
            path: {
                /** @description upload id */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    findOffset: {
        parameters: {
            query?: never;
            header: {
                /** @description version of the protocol */
                "Tus-Resumable": "1.0.0";
            };
            path: {
                /** @description upload id */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    continueUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description version of the protocol */
                "Tus-Resumable": "1.0.0";
                /** @description how much has come before */
                "Upload-Offset": string;
            };
            path: {
                /** @description upload id */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": unknown;
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getManagedVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedVideo"];
                };
            };
        };
    };
    renameVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description video name
                     * @example The launch
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedVideo"];
                };
            };
        };
    };
    deleteVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteResult"];
                };
            };
        };
    };
    listDeletedVideos: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedVideoList"];
                };
            };
        };
    };
    restoreVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Video"];
                };
            };
        };
    };
    getChannelAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    setChannelAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description who may watch
                     * @default open
                     * @enum {string}
                     */
                    kind: "open" | "password" | "codes" | "list" | "form" | "signed";
                    /**
                     * Format: password
                     * @description for `password`: the password; absent: the one that was set before
                     * @example spring-2026
                     */
                    password?: string;
                    /**
                     * @description for `list`: uids or phones that may watch; absent: as they were set before
                     * @example [
                     *       "u-1029",
                     *       "13800000000"
                     *     ]
                     */
                    list?: string[];
                    /**
                     * @description for `form`: what is asked of whoever registers; absent: as it was set before
                     * @example [
                     *       {
                     *         "name": "name",
                     *         "label": "Your name",
                     *         "kind": "text",
                     *         "required": true
                     *       },
                     *       {
                     *         "name": "company",
                     *         "label": "Company",
                     *         "kind": "text"
                     *       }
                     *     ]
                     */
                    form?: {
                        /**
                         * @description by which answers are kept: letters, digits, `_` and `-`
                         * @example company
                         */
                        name: string;
                        /**
                         * @description what stands at the field
                         * @example Company
                         */
                        label: string;
                        /**
                         * @description what is answered in it
                         * @default text
                         * @enum {string}
                         */
                        kind?: "text" | "email" | "phone" | "number" | "choice" | "tick";
                        /**
                         * @description whether it must be answered; a `tick` must be ticked
                         * @default false
                         */
                        required?: boolean;
                        /**
                         * @description of `choice`: what may be chosen
                         * @example [
                         *       "Morning",
                         *       "Evening"
                         *     ]
                         */
                        choices?: string[];
                    }[];
                    /**
                     * @description whether whoever may not watch is shown the cover
                     * @default true
                     */
                    show_cover?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    revokeChannelPasses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `pass_id` of a link
                     * @example 4nT2kQ9xLwB.tf41x3
                     */
                    pass?: string;
                    /**
                     * @description `id` of a code
                     * @example 5f1c09ab77e2d410
                     */
                    code?: string;
                    /**
                     * @description user whom a watch link names, or viewer who has registered
                     * @example u-1029
                     */
                    uid?: string;
                    /**
                     * @description `id` of a registration
                     * @example 2pKx0b8VYw5nQdR7tLzC3m
                     */
                    registration?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    makeChannelPlayLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description seconds that the link opens what it leads to
                     * @default 86400
                     * @example 3600
                     */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayLink"];
                };
            };
        };
    };
    getVideoAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    setVideoAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description who may watch; `channel`: whoever may watch its channel
                     * @default channel
                     * @enum {string}
                     */
                    kind: "channel" | "open" | "password" | "codes" | "list" | "form" | "signed";
                    /**
                     * Format: password
                     * @description for `password`: the password; absent: the one that was set before
                     * @example spring-2026
                     */
                    password?: string;
                    /**
                     * @description for `list`: uids or phones that may watch; absent: as they were set before
                     * @example [
                     *       "u-1029",
                     *       "13800000000"
                     *     ]
                     */
                    list?: string[];
                    /**
                     * @description for `form`: what is asked of whoever registers; absent: as it was set before
                     * @example [
                     *       {
                     *         "name": "name",
                     *         "label": "Your name",
                     *         "kind": "text",
                     *         "required": true
                     *       },
                     *       {
                     *         "name": "company",
                     *         "label": "Company",
                     *         "kind": "text"
                     *       }
                     *     ]
                     */
                    form?: {
                        /**
                         * @description by which answers are kept: letters, digits, `_` and `-`
                         * @example company
                         */
                        name: string;
                        /**
                         * @description what stands at the field
                         * @example Company
                         */
                        label: string;
                        /**
                         * @description what is answered in it
                         * @default text
                         * @enum {string}
                         */
                        kind?: "text" | "email" | "phone" | "number" | "choice" | "tick";
                        /**
                         * @description whether it must be answered; a `tick` must be ticked
                         * @default false
                         */
                        required?: boolean;
                        /**
                         * @description of `choice`: what may be chosen
                         * @example [
                         *       "Morning",
                         *       "Evening"
                         *     ]
                         */
                        choices?: string[];
                    }[];
                    /**
                     * @description whether whoever may not watch is shown the cover
                     * @default true
                     */
                    show_cover?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    revokeVideoPasses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `pass_id` of a link
                     * @example 4nT2kQ9xLwB.tf41x3
                     */
                    pass?: string;
                    /**
                     * @description `id` of a code
                     * @example 5f1c09ab77e2d410
                     */
                    code?: string;
                    /**
                     * @description user whom a watch link names, or viewer who has registered
                     * @example u-1029
                     */
                    uid?: string;
                    /**
                     * @description `id` of a registration
                     * @example 2pKx0b8VYw5nQdR7tLzC3m
                     */
                    registration?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
        };
    };
    makeVideoPlayLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description seconds that the link opens what it leads to
                     * @default 86400
                     * @example 3600
                     */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VideoPlayLink"];
                };
            };
        };
    };
    listChannelCodes: {
        parameters: {
            query?: {
                /** @description results per page */
                perPage?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeList"];
                };
            };
        };
    };
    makeChannelCodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description how many
                     * @default 1
                     * @example 20
                     */
                    count?: number;
                    /**
                     * @description how often each lets somebody in; 0: as often as it is typed
                     * @default 1
                     * @example 1
                     */
                    uses?: number;
                    /**
                     * @description what they are for
                     * @example class of 2026
                     */
                    note?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeCodes"];
                };
            };
        };
    };
    listVideoCodes: {
        parameters: {
            query?: {
                /** @description results per page */
                perPage?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeList"];
                };
            };
        };
    };
    makeVideoCodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description how many
                     * @default 1
                     * @example 20
                     */
                    count?: number;
                    /**
                     * @description how often each lets somebody in; 0: as often as it is typed
                     * @default 1
                     * @example 1
                     */
                    uses?: number;
                    /**
                     * @description what they are for
                     * @example class of 2026
                     */
                    note?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeCodes"];
                };
            };
        };
    };
    listChannelRegistrations: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationList"];
                };
            };
        };
    };
    exportChannelRegistrationsCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportChannelRegistrationsNdjson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Registration"][];
                };
            };
        };
    };
    listVideoRegistrations: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationList"];
                };
            };
        };
    };
    exportVideoRegistrationsCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportVideoRegistrationsNdjson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Registration"][];
                };
            };
        };
    };
    listManagedVideos: {
        parameters: {
            query?: {
                /** @description part of the video name, in any case */
                q?: string;
                /** @description id of the owning channel */
                channel?: number;
                /** @description only those */
                state?: "all" | "ready" | "working" | "failed";
                /** @description results per page */
                perPage?: number;
                /** @description page number; also taken as `page` */
                p?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedVideoList"];
                };
            };
        };
    };
    retryVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description which of them
                     * @default all
                     * @enum {string}
                     */
                    file?: "all" | "mp4" | "cover" | "480" | "720" | "1080";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedVideo"];
                };
            };
        };
    };
    listCaptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptionsList"];
                };
            };
        };
    };
    getCaptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
                /** @description language by its tag (BCP 47), as `en` or `zh-Hant` */
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/vtt": string;
                };
            };
        };
    };
    setCaptions: {
        parameters: {
            query?: {
                /** @description what viewers choose them by; absent: the language in its own words */
                label?: string;
            };
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
                /** @description language by its tag (BCP 47), as `en` or `zh-Hant` */
                language: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/vtt": unknown;
                "application/x-subrip": unknown;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captions"];
                };
            };
        };
    };
    removeCaptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description video id */
                video_id: number;
                /** @description language by its tag (BCP 47), as `en` or `zh-Hant` */
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptionsList"];
                };
            };
        };
    };
    exportSessionsCsv: {
        parameters: {
            query?: {
                /** @description start of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime` */
                start_time?: string | "";
                /** @description end of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `endTime` */
                end_time?: string | "";
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportVisitorsCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    exportSessionsNdjson: {
        parameters: {
            query?: {
                /** @description start of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime` */
                start_time?: string | "";
                /** @description end of the period; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `endTime` */
                end_time?: string | "";
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExportedSessionLine"][];
                };
            };
        };
    };
    exportVisitorsNdjson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExportedVisitorLine"][];
                };
            };
        };
    };
    exportViewer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id: string;
                    /** @description one channel; all of the account where it is absent */
                    channel_id?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ViewerLine"][];
                };
            };
        };
    };
    eraseViewer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id: string;
                    /** @description one channel; all of the account where it is absent */
                    channel_id?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedViewer"];
                };
            };
        };
    };
    getChat: {
        parameters: {
            query?: {
                /** @description only messages before this id */
                before?: number;
                /** @description only messages after this id, the oldest of them */
                after?: number;
                /** @description viewer id: `user_id` of a watch record */
                viewer_id?: string;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chat"];
                };
            };
        };
    };
    removeChatMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description message ids
                     * @example [
                     *       7,
                     *       8
                     *     ]
                     */
                    ids?: number[];
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMessages"];
                };
            };
        };
    };
    openChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatState"];
                };
            };
        };
    };
    closeChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatState"];
                };
            };
        };
    };
    slowChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description seconds between two lines of one viewer; 0 for a chat that is not slow
                     * @example 30
                     */
                    seconds: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatPace"];
                };
            };
        };
    };
    sayInChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description what is said
                     * @example Welcome!
                     */
                    text: string;
                    /**
                     * @description name beside it; absent: that of the channel
                     * @example Anna
                     */
                    nick?: string;
                    /** @description id of the message that it answers */
                    reply_to?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    pinChatMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description message id
                     * @example 8
                     */
                    id: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PinnedMessage"];
                };
            };
        };
    };
    unpinChatMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PinnedMessage"];
                };
            };
        };
    };
    listSilences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silences"];
                };
            };
        };
    };
    muteViewer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id: string;
                    /**
                     * @description when it ends; for ever where it is absent; `YYYY-MM-DD HH:MM:SS`, an empty string for none
                     * @example 2026-05-01 19:30:00
                     */
                    until?: string | "";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silences"];
                };
            };
        };
    };
    banViewer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id: string;
                    /**
                     * @description when it ends; for ever where it is absent; `YYYY-MM-DD HH:MM:SS`, an empty string for none
                     * @example 2026-05-01 19:30:00
                     */
                    until?: string | "";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silences"];
                };
            };
        };
    };
    liftSilence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer id: `user_id` of a watch record
                     * @example u-58213
                     */
                    viewer_id: string;
                    /**
                     * @description which one
                     * @default both
                     * @enum {string}
                     */
                    kind?: "both" | "mute" | "ban";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silences"];
                };
            };
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": unknown;
                "image/jpeg": unknown;
                "image/webp": unknown;
                "image/gif": unknown;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadedImage"];
                };
            };
        };
    };
    previewPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description live start time; `YYYY-MM-DD HH:MM:SS`, an empty string for none; also taken as `startTime`
                     * @example 2026-05-01 19:30:00
                     */
                    start_time?: string | "";
                    /** @description address of the desktop video logo */
                    pc_logo?: string;
                    /** @description address of the mobile video logo */
                    mobile_logo?: string;
                    /** @description banner address */
                    banner?: string;
                    /** @description channel icon address */
                    cover_image?: string;
                    /** @description address of the live window background */
                    live_img?: string;
                    /** @description footer copyright text */
                    footer?: string;
                    /**
                     * @description viewing page background colour; empty for the theme's own
                     * @example rgb(255,255,255,1)
                     */
                    bg_color?: string;
                    /**
                     * @description whether the mobile-viewing QR code is shown
                     * @default true
                     */
                    show_qrcode?: boolean;
                    /**
                     * @description theme of the viewing page
                     * @default default
                     * @enum {string}
                     */
                    theme?: "default" | "tech";
                    /**
                     * @description whether the front page lists the channel
                     * @default false
                     */
                    public?: boolean;
                    /**
                     * @description the page on a desktop, or on a phone
                     * @default watch
                     * @enum {string}
                     */
                    kind?: "watch" | "mobile";
                    /**
                     * @description language of the page
                     * @default en
                     * @enum {string}
                     */
                    language?: "en" | "zh";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagePreview"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description user name or email; letters of any case are the same
                     * @example ada@example.com
                     */
                    user_name: string;
                    /**
                     * Format: password
                     * @description the password
                     * @example three green lamps
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    lookAtLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: password
                     * @description what stands behind the # of the link
                     * @example 2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u
                     */
                    link: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    useLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: password
                     * @description what stands behind the # of the link
                     * @example 2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u
                     */
                    link: string;
                    /**
                     * @description the name that others are shown
                     * @example Ada
                     */
                    name?: string;
                    /**
                     * @description user name or email; letters of any case are the same
                     * @example ada@example.com
                     */
                    user_name?: string;
                    /**
                     * Format: password
                     * @description a new password, not a common one nor the user name
                     * @example three green lamps
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    changeMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description the name that others are shown
                     * @example Ada
                     */
                    name?: string;
                    /**
                     * Format: password
                     * @description a new password, not a common one nor the user name
                     * @example three green lamps
                     */
                    password?: string;
                    /**
                     * Format: password
                     * @description the password
                     * @example three green lamps
                     */
                    old_password?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    listMySessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["ConsoleSession"][];
                    };
                };
            };
        };
    };
    endMySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description session id */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    endMyOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description how many */
                        ended: number;
                    };
                };
            };
        };
    };
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        people: components["schemas"]["Person"][];
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
        };
    };
    invitePerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description whose person it is to be; absent or 0: of the account's own side */
                    manager_id?: number;
                    /**
                     * @description whom it is for
                     * @example Anna
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description invitation id */
                invitation_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    resetPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description person id */
                person_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
        };
    };
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description person id */
                person_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    endPersonSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description person id */
                person_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description how many */
                        ended: number;
                    };
                };
            };
        };
    };
    listManagers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        managers: components["schemas"]["Manager"][];
                    };
                };
            };
        };
    };
    createManager: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description its name, of which an account has each once
                     * @example anna
                     */
                    username: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Manager"];
                };
            };
        };
    };
    renameManager: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description manager id */
                manager_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description its name, of which an account has each once
                     * @example anna
                     */
                    username: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Manager"];
                };
            };
        };
    };
    removeManager: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description manager id */
                manager_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: components["schemas"]["Token"][];
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description what it is for
                     * @example the shop
                     */
                    name?: string;
                    /**
                     * @description what it may do; absent: everything but `manage`
                     * @example [
                     *       "channels:read",
                     *       "audience:read"
                     *     ]
                     */
                    scopes?: ("channels:read" | "channels:write" | "channels:run" | "videos:read" | "videos:write" | "audience:read" | "manage")[];
                    /** @description whose it is to be; absent or 0: the account's own */
                    manager_id?: number;
                    /** @description for how many days it is good; absent or 0: for ever */
                    expires_in_days?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeToken"];
                };
            };
        };
    };
    changeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description token id */
                token_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description what it is for
                     * @example the shop
                     */
                    name?: string;
                    /**
                     * @description what it may do from now on: some of what it may do now
                     * @example [
                     *       "channels:read"
                     *     ]
                     */
                    scopes?: ("channels:read" | "channels:write" | "channels:run" | "videos:read" | "videos:write" | "audience:read" | "manage")[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description token id */
                token_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    changeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description name of the account
                     * @example Lantern
                     */
                    name?: string;
                    /**
                     * @description whether a push becomes a video
                     * @default true
                     */
                    auto_save_live_video?: boolean;
                    /**
                     * @description language of places in new watch records
                     * @default en
                     * @enum {string}
                     */
                    place_language?: "en" | "zh";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    getStorage: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Storage"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description only those */
                state?: "all" | "waiting" | "running" | "done" | "failed";
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jobs"];
                };
            };
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description job id */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: number;
                        /** @constant */
                        state: "waiting";
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description an http: or https: address, without a user name
                     * @example https://shop.example.com/footlight
                     */
                    url: string;
                    /**
                     * @description types of events that it is told of
                     * @example [
                     *       "channel.live",
                     *       "show.ended"
                     *     ]
                     */
                    events: ("channel.created" | "channel.updated" | "channel.deleted" | "channel.live" | "channel.offline" | "show.ended" | "video.created" | "video.ready" | "video.deleted" | "audience.session.ended" | "job.failed")[];
                    /**
                     * @description what it is for
                     * @example the shop
                     */
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWebhook"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description an http: or https: address, without a user name
                     * @example https://shop.example.com/footlight
                     */
                    url?: string;
                    /**
                     * @description types of events that it is told of
                     * @example [
                     *       "channel.live",
                     *       "show.ended"
                     *     ]
                     */
                    events?: ("channel.created" | "channel.updated" | "channel.deleted" | "channel.live" | "channel.offline" | "show.ended" | "video.created" | "video.ready" | "video.deleted" | "audience.session.ended" | "job.failed")[];
                    /**
                     * @description what it is for
                     * @example the shop
                     */
                    description?: string;
                    /**
                     * @description whether it is sent anything
                     * @default true
                     */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        result: "success";
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeWebhook"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WholeWebhookDelivery"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description only those of this state */
                state?: "all" | "pending" | "delivered" | "given_up" | "notice";
                /** @description `next_before` of the page before */
                before?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveries"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
                /** @description delivery id */
                delivery_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WholeWebhookDelivery"];
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
                /** @description delivery id */
                delivery_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    resendDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description webhook id */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description only those of events from then on; `YYYY-MM-DD HH:MM:SS`, an empty string for none
                     * @example 2026-05-01 19:30:00
                     */
                    since?: string | "";
                    /**
                     * @description only those of events until then; `YYYY-MM-DD HH:MM:SS`, an empty string for none
                     * @example 2026-05-01 21:30:00
                     */
                    until?: string | "";
                    /** @description only this delivery and later ones */
                    from?: number;
                    /** @description only this delivery and earlier ones */
                    to?: number;
                    /**
                     * @description only those of these states; absent: given up
                     * @example [
                     *       "given_up"
                     *     ]
                     */
                    states?: ("delivered" | "given_up")[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resent"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description only what this person did */
                person?: number;
                /** @description only what this token did */
                token?: number;
                /** @description only what is about this channel */
                channel?: number;
                /** @description only what is of this group */
                group?: "all" | "channels" | "videos" | "chat" | "exports" | "viewers" | "people" | "managers" | "tokens" | "webhooks" | "account" | "sign_in" | "service";
                /** @description only from then on; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                since?: string | "";
                /** @description only until then; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                until?: string | "";
                /** @description only rows with this in a name, a value or the address */
                q?: string;
                /** @description `next_before` of the page before */
                before?: string;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audit"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description only what this person did */
                person?: number;
                /** @description only what this token did */
                token?: number;
                /** @description only what is about this channel */
                channel?: number;
                /** @description only what is of this group */
                group?: "all" | "channels" | "videos" | "chat" | "exports" | "viewers" | "people" | "managers" | "tokens" | "webhooks" | "account" | "sign_in" | "service";
                /** @description only from then on; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                since?: string | "";
                /** @description only until then; `YYYY-MM-DD HH:MM:SS`, an empty string for none */
                until?: string | "";
                /** @description only rows with this in a name, a value or the address */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description only events of these types, with commas between */
                types?: string;
                /** @description only events of this channel */
                channel?: number;
                /** @description a position such as 31.7: the same as the header `Last-Event-ID`, which goes before it */
                last_event_id?: string;
            };
            header?: {
                /** @description the `id:` line of the last message that was read, such as 31.7 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description only events of these types, with commas between */
                types?: string;
                /** @description only events of this channel */
                channel?: number;
                /** @description a position such as 31.7: `next_after` of the page before, or the `id:` line of the stream; without it from the oldest that is kept */
                after?: string;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Events"];
                };
            };
        };
    };
    getViewerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewerSecret"];
                };
            };
        };
    };
    rotateViewerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewerSecret"];
                };
            };
        };
    };
    listChannelStates: {
        parameters: {
            query?: {
                /** @description only those */
                state?: "all" | "on_air" | "upcoming" | "past";
                /** @description part of the name, in any case */
                q?: string;
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelStates"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nodes"];
                };
            };
        };
    };
    getPicture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": unknown;
                };
            };
        };
    };
    listPresent: {
        parameters: {
            query?: {
                /** @description page number; also taken as `page` */
                p?: number;
                /** @description results per page */
                perPage?: number;
            };
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresentViewers"];
                };
            };
        };
    };
    getChannelLive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description channel id */
                channel_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelLive"];
                };
            };
        };
    };
    "channel.created": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "channel.created";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description its name */
                        name: string;
                        /** @description id of its manager; 0 for none */
                        manager_id: number;
                        /** @description whether it had been deleted and was brought back, with all that it had */
                        restored: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channel.updated": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "channel.updated";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description its name */
                        name: string;
                        /** @description id of its manager; 0 for none */
                        manager_id: number;
                        /** @description what changed: `name`, `manager`, `publish_key`, or names of page settings; no values, and never the key */
                        changed: string[];
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channel.deleted": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "channel.deleted";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description its name */
                        name: string;
                        /** @description id of its manager; 0 for none */
                        manager_id: number;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channel.live": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "channel.live";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description show id, as the report and the exports of the show take it */
                        show_id: number;
                        /**
                         * Format: date-time
                         * @description when its first part could be played; ISO 8601, in UTC
                         */
                        begin: string;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "channel.offline": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "channel.offline";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description show id, as the report and the exports of the show take it */
                        show_id: number;
                        /**
                         * Format: date-time
                         * @description when its first part could be played; ISO 8601, in UTC
                         */
                        begin: string;
                        /**
                         * Format: date-time
                         * @description when it was live no more; ISO 8601, in UTC
                         */
                        end: string;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "show.ended": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "show.ended";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description show id, as the report and the exports of the show take it */
                        show_id: number;
                        /**
                         * Format: date-time
                         * @description when its first part could be played; ISO 8601, in UTC
                         */
                        begin: string;
                        /**
                         * Format: date-time
                         * @description when it was live no more; ISO 8601, in UTC
                         */
                        end: string;
                        /** @description videos that it became so far */
                        video_ids: number[];
                        figures: {
                            /** @description most viewers at once */
                            peak: number;
                            /** @description viewers at once on average, to a hundredth */
                            average: number;
                            /** @description viewers */
                            uv: number;
                            /** @description their sessions */
                            pv: number;
                            /** @description all viewers together; what one watched in two tabs at once counts once */
                            watch_seconds: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "video.created": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "video.created";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description video id */
                        video_id: number;
                        /** @description channel id */
                        channel_id: number;
                        /** @description title of the video */
                        name: string;
                        /**
                         * @description what it was made of
                         * @enum {string}
                         */
                        source: "push" | "clip" | "upload" | "import";
                        /** @description whether it had been deleted and was brought back, with all that it had */
                        restored: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "video.ready": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "video.ready";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description video id */
                        video_id: number;
                        /** @description channel id */
                        channel_id: number;
                        /** @description title of the video */
                        name: string;
                        /** @description files that could not be made: `mp4`, `cover`, `480`, `720` or `1080` */
                        failed: string[];
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "video.deleted": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "video.deleted";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description video id */
                        video_id: number;
                        /** @description channel id */
                        channel_id: number;
                        /** @description title of the video */
                        name: string;
                        /**
                         * @description deleted: by somebody, and can be brought back for some days. retention: as old as a video may become
                         * @enum {string}
                         */
                        reason: "deleted" | "retention";
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "audience.session.ended": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "audience.session.ended";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description channel id */
                        channel_id: number;
                        /** @description ids of the sessions, as in the watch records */
                        sessions: number[];
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "job.failed": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "job.failed";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description job id */
                        job_id: number;
                        /** @description which file: `mp4`, `cover`, `480`, `720` or `1080` */
                        kind: string;
                        /** @description video id */
                        video_id: number;
                        /** @description channel id */
                        channel_id: number;
                        /** @description how often it was begun */
                        tries: number;
                        /** @description why the last try failed */
                        problem: string;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header: {
                /** @description id of the event, the same however often it is sent: who has seen it has seen it */
                "webhook-id": string;
                /** @description seconds since 1970, of this try */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body, with dots between, in base64; several with spaces between while a secret is being replaced */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook.test";
                    /**
                     * Format: date-time
                     * @description when it was written; ISO 8601, in UTC
                     */
                    timestamp: string;
                    data: {
                        /** @description webhook id */
                        webhook_id: number;
                    };
                };
            };
        };
        responses: {
            /** @description It has come */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/** Creates that take an `Idempotency-Key`, so that they may be sent twice. */
export const createsWithKey: readonly string[] = [
    "/v1/activities",
];
/** Reads that are asked for by POST, as their fields come in a body. */
export const readsByPost: readonly string[] = [
    "/v1/activities/{channel_id}/userRecords",
    "/v1/activities/{channel_id}/visitors",
];
